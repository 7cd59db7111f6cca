import { Argument, type Command, type Option } from 'commander';
import { addHelp, type CommandContext } from './command.ts';
import { COMPLETE_IDS, type CompletedKind, completedKinds } from './complete-ids.ts';
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
  /** What its operands are ids of, in their order; null for those that are none. */
  readonly operandIds: readonly (CompletedKind | null)[];
}

interface CompletionFlag {
  /** As it is written: `-o`, `--output`. */
  readonly names: readonly string[];
  readonly description: string;
  /** None for a flag without a value, any text for one without choices, a file, or an id. */
  readonly value: 'none' | 'text' | CompletedValue;
}

/** What the value of a flag is completed with: files, ids that the store is asked for, or these words. */
type CompletedValue = 'file' | { readonly ids: CompletedKind } | readonly string[];

/** A command and every one below it. */
function nodesOf(command: Command, path: readonly string[]): readonly CompletionNode[] {
  const verbs = command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== 'help');
  const options = [...command.createHelp().visibleOptions(command)];
  const node: CompletionNode = {
    path: path.join(' '),
    verbs: verbs.map((child) => ({ name: child.name(), description: firstSentence(child.description()) })),
    flags: options.map(flagOf),
    operands: command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    operandIds: command.registeredArguments.map((operand) => kindOf(operand.name(), path)),
  };
  return [node, ...verbs.flatMap((child) => nodesOf(child, [...path, child.name()]))];
}

/** Verbs that make what their operand names. */
const MAKING: readonly string[] = ['create', 'add'];

/** What an operand is the id of, as commands name theirs: `<consumer>`, or `<id>` below the noun `consumer`. */
function kindOf(operand: string, [noun, verb = '']: readonly string[]): CompletedKind | null {
  const name = operand === 'id' && !MAKING.includes(verb) ? noun : operand;
  return completedKinds.find((kind) => kind === name) ?? null;
}

function flagOf(option: Option): CompletionFlag {
  const names = [option.short, option.long].flatMap((name) => name ?? []);
  return { names, description: firstSentence(option.description), value: valueOf(option) };
}

function valueOf({ required, optional, argChoices, flags, long }: Option): CompletionFlag['value'] {
  if (!required && !optional) return 'none';
  if (argChoices !== undefined) return argChoices;
  const kind = completedKinds.find((each) => long === `--${each}` && flags.includes('<id>'));
  if (kind !== undefined) return { ids: kind };
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
function valueLines(tree: readonly CompletionNode[], complete: (value: CompletedValue) => string): string {
  const lines = tree.flatMap(({ path, flags }) =>
    flags.flatMap(({ names, value }) => {
      if (value === 'none') return [];
      const patterns = names.map((name) => `"${path}/${name}"`).join(' | ');
      return [`    ${patterns}) ${value === 'text' ? '' : `${complete(value)}; `}return ;;`];
    }),
  );
  return lines.join('\n');
}

/** The lines of a `case`: the kind of id that each operand is; `assign` is the shell's assignment of the kind. */
function idLines(tree: readonly CompletionNode[], assign: (kind: CompletedKind) => string): string {
  const lines = tree.flatMap(({ path, operandIds }) =>
    operandIds.flatMap((kind, at) => (kind === null ? [] : [`    "${path}/${String(at)}") ${assign(kind)} ;;`])),
  );
  return lines.join('\n');
}

/** The pattern of a `case`: flags that take a value, of commands with an operand that is an id. */
function valuePattern(tree: readonly CompletionNode[]): string {
  const withIds = tree.filter(({ operandIds }) => operandIds.some((kind) => kind !== null));
  const flags = withIds.flatMap(({ path, flags: all }) =>
    all.flatMap(({ names, value }) => (value === 'none' ? [] : names.map((name) => `"${path}/${name}"`))),
  );
  return flags.join(' | ');
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

/** A completion script for bash 3.2 and later. It holds everything but ids: only for those, Tab starts a process. */
function bashCompletion(tree: readonly CompletionNode[]): string {
  const ask = (kind: CompletedKind): string => `$(postern ${COMPLETE_IDS} ${kind} "$current" 2>/dev/null)`;
  const wordsOf = (value: CompletedValue): string => {
    if (value === 'file') return '-f';
    return `-W "${'ids' in value ? ask(value.ids) : value.join(' ')}"`;
  };
  const complete = (value: CompletedValue): string => `COMPREPLY=($(compgen ${wordsOf(value)} -- "$current"))`;
  return `# postern completion for bash. Load it with: source <(postern completion bash)
_postern() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous= path= former= word index words
  local -i operands=0
  COMPREPLY=()
  # The commands before the cursor; what flags take cannot be taken for one, because only known words count.
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]} former=$path
    case "$path/$word" in
${stepLines(tree, 'path')}
    esac
    if [[ $path != "$former" ]]; then operands=0
    elif [[ $word != -* ]]; then
      case "$path/$previous" in
      ${valuePattern(tree)}) ;;
      *) operands+=1 ;;
      esac
    fi
    previous=$word
  done
  case "$path/$previous" in
${valueLines(tree, complete)}
  esac
  case "$path" in
${wordLines(tree, (words) => `words="${words.map(({ name }) => name).join(' ')}"`)}
  esac
  if [[ $current != -* ]]; then
    case "$path/$operands" in
${idLines(tree, (kind) => `words="$words ${ask(kind)}"`)}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _postern postern
`;
}

/** A completion script for zsh, to be a file `_postern` in `fpath` or to be sourced after `compinit`. */
function zshCompletion(tree: readonly CompletionNode[]): string {
  const ask = (kind: CompletedKind): string =>
    `compadd -- \${(f)"$(postern ${COMPLETE_IDS} ${kind} "$PREFIX" 2>/dev/null)"}`;
  const complete = (value: CompletedValue): string => {
    if (value === 'file') return '_files';
    return 'ids' in value ? ask(value.ids) : `compadd -- ${value.join(' ')}`;
  };
  // In single quotes; a colon parts the word from its description.
  const choice = ({ name, description }: Word): string =>
    `'${(description === '' ? name : `${name}:${description}`).replaceAll("'", `'\\''`)}'`;
  return `#compdef postern
# postern completion for zsh. Load it with: source <(postern completion zsh)
_postern() {
  local where= word previous= former=
  local -a choices
  local -i index operands=0
  for ((index = 2; index < CURRENT; index++)); do
    word=\${words[index]} former=$where
    case "$where/$word" in
${stepLines(tree, 'where')}
    esac
    if [[ $where != "$former" ]]; then operands=0
    elif [[ $word != -* ]]; then
      case "$where/$previous" in
      ${valuePattern(tree)}) ;;
      *) operands+=1 ;;
      esac
    fi
    previous=$word
  done
  case "$where/$previous" in
${valueLines(tree, complete)}
  esac
  case "$where" in
${wordLines(tree, (words) => `choices=(${words.map(choice).join(' ')})`)}
  esac
  if [[ $PREFIX != -* ]]; then
    case "$where/$operands" in
${idLines(tree, ask)}
    esac
  fi
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
      // fish has no count of operands: it offers the ids of each.
      ...[...new Set(node.operandIds)].flatMap((kind) =>
        kind === null ? [] : [`complete -c postern -n ${quote(condition)} -f -a ${quote(askInFish(kind))}`],
      ),
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
  if (value === 'file') return ' -r -F';
  return ` -x -a ${quote('ids' in value ? askInFish(value.ids) : value.join(' '))}`;
}

function askInFish(kind: CompletedKind): string {
  return `(postern ${COMPLETE_IDS} ${kind} (commandline -ct) 2>/dev/null)`;
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
}
