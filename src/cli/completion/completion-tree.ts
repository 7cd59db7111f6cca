import type { Command, Option } from 'commander';

/** A command as completion knows it. */
export interface CompletionNode {
  /** The words that lead to it: `credential issue`; empty for the program itself. */
  readonly path: string;
  readonly verbs: readonly { readonly name: string; readonly description: string }[];
  readonly flags: readonly CompletionFlag[];
  /** Values that its operands can have; empty for any. */
  readonly operands: readonly string[];
}

/** A flag as completion knows it. */
export interface CompletionFlag {
  /** As it is written: `-o`, `--output`. */
  readonly names: readonly string[];
  readonly description: string;
  /** None for a flag without a value, any text for one without choices, or a file. */
  readonly value: 'none' | 'text' | 'file' | readonly string[];
}

/** Every command below the program, itself first. */
export function completionTree(program: Command): readonly CompletionNode[] {
  return nodesOf(program, []);
}

function nodesOf(command: Command, path: readonly string[]): readonly CompletionNode[] {
  const verbs = command.commands.filter((child) => child.name() !== 'help');
  const options = [...command.createHelp().visibleOptions(command)];
  const node: CompletionNode = {
    path: path.join(' '),
    verbs: verbs.map((child) => ({ name: child.name(), description: firstSentence(child.description()) })),
    flags: options.map(flagOf),
    operands: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
  };
  return [node, ...verbs.flatMap((child) => nodesOf(child, [...path, child.name()]))];
}

function flagOf(option: Option): CompletionFlag {
  const names = [option.short, option.long].flatMap((name) => name ?? []);
  return { names, description: firstSentence(option.description), value: valueOf(option) };
}

function valueOf({ required, optional, argChoices, flags }: Option): CompletionFlag['value'] {
  if (!required && !optional) return 'none';
  if (argChoices !== undefined) return argChoices;
  return /<file/.test(flags) ? 'file' : 'text';
}

/** Short enough for a list of choices. */
function firstSentence(text: string): string {
  return text.split(/[.;:] |\.$/)[0] ?? '';
}
