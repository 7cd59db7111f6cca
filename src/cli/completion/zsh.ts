import type { CompletionFlag, CompletionNode } from './completion-tree.ts';

/** A completion script for zsh, to be a file \`_postern\` in \`fpath\` or to be sourced after \`compinit\`. */
export function zshCompletion(tree: readonly CompletionNode[]): string {
  return `#compdef postern
# postern completion for zsh. Load it with: source <(postern completion zsh)
_postern() {
  local where= word previous=
  local -a choices
  local -i index
  for ((index = 2; index < CURRENT; index++)); do
    word=\${words[index]}
    case "$where/$word" in
${tree.flatMap(stepLines).join('\n')}
    esac
    previous=$word
  done
  case "$where/$previous" in
${tree.flatMap((node) => node.flags.flatMap((flag) => valueLines(node, flag))).join('\n')}
  esac
  case "$where" in
${tree.map(choiceLines).join('\n')}
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

function stepLines({ path, verbs }: CompletionNode): readonly string[] {
  return verbs.map(({ name }) => `      "${path}/${name}") where="${path === '' ? name : `${path} ${name}`}" ;;`);
}

function valueLines({ path }: CompletionNode, { names, value }: CompletionFlag): readonly string[] {
  if (value === 'none') return [];
  const patterns = names.map((name) => `"${path}/${name}"`).join(' | ');
  if (value === 'text') return [`    ${patterns}) return ;;`];
  return [`    ${patterns}) ${value === 'file' ? '_files' : `compadd -- ${value.join(' ')}`}; return ;;`];
}

function choiceLines({ path, verbs, flags, operands }: CompletionNode): string {
  const choices = [
    ...verbs.map(({ name, description }) => choice(name, description)),
    ...operands.map((operand) => choice(operand, '')),
    ...flags.flatMap(({ names, description }) => names.map((name) => choice(name, description))),
  ];
  return `    "${path}") choices=(${choices.join(' ')}) ;;`;
}

/** In single quotes; a colon parts the word from its description. */
function choice(word: string, description: string): string {
  const text = description === '' ? word : `${word}:${description}`;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
