import type { CompletionFlag, CompletionNode } from './completion-tree.ts';

/** A completion script for fish. */
export function fishCompletion(tree: readonly CompletionNode[]): string {
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
  return `complete -c postern -n ${quote(condition)} ${flags.join(' ')}${valueOf(value)} -d ${quote(description)}`;
}

function valueOf(value: CompletionFlag['value']): string {
  if (value === 'none') return '';
  if (value === 'text') return ' -x';
  return value === 'file' ? ' -r -F' : ` -x -a ${quote(value.join(' '))}`;
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
}
