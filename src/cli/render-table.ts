import Table from 'cli-table3';

const borders = ['top', 'bottom', 'left', 'mid', 'right'].flatMap((part) =>
  ['', '-mid', '-left', '-right'].map((end) => `${part}${end}`),
);
const noBorders = Object.fromEntries(borders.map((part) => [part, '']));

/** Renders rows as columns of text, two blanks apart, for terminals and for `awk` alike. */
export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const table = new Table({
    head: [...head],
    chars: { ...noBorders, middle: '  ' },
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 0 },
  });
  for (const row of rows) table.push([...row]);
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}
