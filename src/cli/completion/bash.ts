import type { CompletionFlag, CompletionNode } from './completion-tree.ts';

/** A completion script for bash 3.2 and later. It holds everything, so that pressing Tab starts no process. */
export function bashCompletion(tree: readonly CompletionNode[]): string {
  return `# postern completion for bash. Load it with: source <(postern completion bash)
_postern() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous= path= word index words
  COMPREPLY=()
  # The commands before the cursor; what flags take cannot be taken for one, because only known words count.
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    case "$path/$word" in
${tree.flatMap(stepLines).join('\n')}
    esac
    previous=$word
  done
  case "$path/$previous" in
${tree.flatMap((node) => node.flags.flatMap((flag) => valueLines(node, flag))).join('\n')}
  esac
  case "$path" in
${tree.map(wordLine).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _postern postern
`;
}

function stepLines({ path, verbs }: CompletionNode): readonly string[] {
  return verbs.map(({ name }) => `      "${path}/${name}") path="${path === '' ? name : `${path} ${name}`}" ;;`);
}

function valueLines({ path }: CompletionNode, { names, value }: CompletionFlag): readonly string[] {
  if (value === 'none') return [];
  const patterns = names.map((name) => `"${path}/${name}"`).join(' | ');
  if (value === 'text') return [`    ${patterns}) return ;;`];
  const words = value === 'file' ? '-f' : `-W "${value.join(' ')}"`;
  return [`    ${patterns}) COMPREPLY=($(compgen ${words} -- "$current")); return ;;`];
}

function wordLine({ path, verbs, flags, operands }: CompletionNode): string {
  const words = [...verbs.map(({ name }) => name), ...operands, ...flags.flatMap(({ names }) => names)];
  return `    "${path}") words="${words.join(' ')}" ;;`;
}
