import { Argument, type Command, type Option } from 'commander';
import { addHelp, type CommandContext } from './command.ts';
import { exitCodes } from './terminal.ts';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

/** Adds `postern completion`, which looks at all commands of the program when it runs. */
export function registerCompletion(program: Command, context: CommandContext): void {
  const command = program
    .command('completion')
    .description('Print a script that completes commands, flags and their values when Tab is pressed.')
    .addArgument(new Argument('<shell>', 'for which shell').choices(shells));
  addHelp(command, {
    notes: `Put the line for your shell into its start-up file.`,
    examples: [
      'source <(postern completion bash)     # ~/.bashrc',
      'source <(postern completion zsh)      # ~/.zshrc, after compinit',
      'postern completion fish | source      # ~/.config/fish/config.fish',
    ],
    exits: { usage: 'usage' },
  });
  command.action((shell: Shell) => {
    context.terminal.out.write(scripts[shell](nodesOf(program, [])));
    context.finish(exitCodes.done);
  });
}

const scripts: Readonly<Record<Shell, (tree: readonly CompletionNode[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

interface Word {
  readonly name: string;
  readonly description: string;
}

interface CompletionNode {
  /** The words that lead to it: `credential issue`; empty for the program itself. */
  readonly path: string;
  readonly verbs: readonly Word[];
  readonly flags: readonly CompletionFlag[];
  /** Values that its operands can have; empty for any. */
  readonly operands: readonly string[];
}

interface CompletionFlag {
  /** As it is written: `-o`, `--output`. */
  readonly names: readonly string[];
  readonly description: string;
  /** None for a flag without a value, any text for one without choices, or a file. */
  readonly value: 'none' | 'text' | 'file' | readonly string[];
}

/** A command and every one below it. */
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

/** The lines of a `case`: how a word leads from a command to one below it, as a shell variable has the words so far. */
function stepLines(tree: readonly CompletionNode[], variable: string): string {
  const lines = tree.flatMap(({ path, verbs }) =>
    verbs.map(({ name }) => `      "${path}/${name}") ${variable}="${path === '' ? name : `${path} ${name}`}" ;;`),
  );
  return lines.join('\n');
}

/** The lines of a `case`: what completes the value of each flag; `complete` is the shell's command for it. */
function valueLines(tree: readonly CompletionNode[], complete: (value: 'file' | readonly string[]) => string): string {
  const lines = tree.flatMap(({ path, flags }) =>
    flags.flatMap(({ names, value }) => {
      if (value === 'none') return [];
      const patterns = names.map((name) => `"${path}/${name}"`).join(' | ');
      return [`    ${patterns}) ${value === 'text' ? '' : `${complete(value)}; `}return ;;`];
    }),
  );
  return lines.join('\n');
}

/** The lines of a `case`: what can follow each command; `assign` is the shell's assignment of the words. */
function wordLines(tree: readonly CompletionNode[], assign: (words: readonly Word[]) => string): string {
  const lines = tree.map(({ path, verbs, flags, operands }) => {
    const flagWords = flags.flatMap(({ names, description }) => names.map((name) => ({ name, description })));
    const words = [...verbs, ...operands.map((name) => ({ name, description: '' })), ...flagWords];
    return `    "${path}") ${assign(words)} ;;`;
  });
  return lines.join('\n');
}

/** A completion script for bash 3.2 and later. It holds everything, so that pressing Tab starts no process. */
function bashCompletion(tree: readonly CompletionNode[]): string {
  const complete = (value: 'file' | readonly string[]): string =>
    `COMPREPLY=($(compgen ${value === 'file' ? '-f' : `-W "${value.join(' ')}"`} -- "$current"))`;
  return `# postern completion for bash. Load it with: source <(postern completion bash)
_postern() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous= path= word index words
  COMPREPLY=()
  # The commands before the cursor; what flags take cannot be taken for one, because only known words count.
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    case "$path/$word" in
${stepLines(tree, 'path')}
    esac
    previous=$word
  done
  case "$path/$previous" in
${valueLines(tree, complete)}
  esac
  case "$path" in
${wordLines(tree, (words) => `words="${words.map(({ name }) => name).join(' ')}"`)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _postern postern
`;
}

/** A completion script for zsh, to be a file `_postern` in `fpath` or to be sourced after `compinit`. */
function zshCompletion(tree: readonly CompletionNode[]): string {
  const complete = (value: 'file' | readonly string[]): string =>
    value === 'file' ? '_files' : `compadd -- ${value.join(' ')}`;
  // In single quotes; a colon parts the word from its description.
  const choice = ({ name, description }: Word): string =>
    `'${(description === '' ? name : `${name}:${description}`).replaceAll("'", `'\\''`)}'`;
  return `#compdef postern
# postern completion for zsh. Load it with: source <(postern completion zsh)
_postern() {
  local where= word previous=
  local -a choices
  local -i index
  for ((index = 2; index < CURRENT; index++)); do
    word=\${words[index]}
    case "$where/$word" in
${stepLines(tree, 'where')}
    esac
    previous=$word
  done
  case "$where/$previous" in
${valueLines(tree, complete)}
  esac
  case "$where" in
${wordLines(tree, (words) => `choices=(${words.map(choice).join(' ')})`)}
  esac
  _describe -o postern choices
}
if [[ $funcstack[1] == _postern ]]; then
  _postern "$@"
else
  compdef _postern postern
fi
`;
}

/** A completion script for fish. */
function fishCompletion(tree: readonly CompletionNode[]): string {
  const lines = tree.flatMap((node) => {
    const condition = conditionOf(node);
    return [
      ...node.verbs.map(
        ({ name, description }) => `complete -c postern -n ${quote(condition)} -f -a ${name} -d ${quote(description)}`,
      ),
      ...node.operands.map((operand) => `complete -c postern -n ${quote(condition)} -f -a ${operand}`),
      ...node.flags.map((flag) => flagLine(flag, condition)),
    ];
  });
  return `# postern completion for fish. Load it with: postern completion fish | source
complete -c postern -f
${lines.join('\n')}
`;
}

/** When the words of a command stand before the cursor, and none of a command below it. */
function conditionOf({ path, verbs }: CompletionNode): string {
  if (path === '') return '__fish_use_subcommand';
  const seen = path.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`);
  const below = verbs.map(({ name }) => name).join(' ');
  return [...seen, ...(below === '' ? [] : [`not __fish_seen_subcommand_from ${below}`])].join('; and ');
}

function flagLine({ names, description, value }: CompletionFlag, condition: string): string {
  const flags = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  return `complete -c postern -n ${quote(condition)} ${flags.join(' ')}${fishValue(value)} -d ${quote(description)}`;
}

function fishValue(value: CompletionFlag['value']): string {
  if (value === 'none') return '';
  if (value === 'text') return ' -x';
  return value === 'file' ? ' -r -F' : ` -x -a ${quote(value.join(' '))}`;
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
}
