import { consumerTexts } from '../../resources/consumer-fields.ts';
import type { Problem } from '../../model/document/problem.ts';
import { quoted } from '../../model/document/problem.ts';
import type { DocumentSource } from '../../model/document/source-text.ts';
import type { Declared } from '../../resources/declared.ts';
import { UsageError } from '../failure.ts';
import type { CsvTable } from './read-csv.ts';

/** What a column can give beside `label.NAME`. */
export const importedFields: readonly string[] = [
  'id',
  ...consumerTexts.map(({ name }) => name),
  'method',
  'credential',
  'endpoints',
];

/** What holds for every row. */
export interface RowDefaults {
  /** Columns by the field that they give; a column with the name of a field gives it anyway. */
  readonly map: Readonly<Record<string, string>>;
  readonly method: string | undefined;
  readonly endpoints: readonly string[];
}

/** A partner of a row, with what else the row asks for. */
export interface PartnerRow {
  readonly line: number;
  readonly consumerId: string;
  readonly credentialId: string | null;
  readonly endpointIds: readonly string[];
}

/** Rows as a declarative document, with the way back from its problems to the cells. */
export interface PartnerDocument {
  readonly source: DocumentSource;
  readonly rows: readonly PartnerRow[];
  /** Columns that give nothing. */
  readonly unused: readonly string[];
  readonly toCell: (problem: Problem) => Problem;
}

/** Makes a document of rows. Empty cells give nothing. Throws `UsageError` for a map that fits no column. */
export function documentOf(file: string, { headings, rows }: CsvTable, defaults: RowDefaults): PartnerDocument {
  const columns = columnsOf(headings, defaults.map);
  const textOf = (cells: readonly string[], field: string): string => cells[columns.get(field) ?? -1] ?? '';
  const labels = [...columns.keys()].filter((field) => field.startsWith(LABEL));
  const partners = rows.map(({ line, cells }) => {
    const method = textOf(cells, 'method') || (defaults.method ?? '');
    const id = textOf(cells, 'id');
    const credentialId = method === '' ? null : textOf(cells, 'credential') || `${id}-${method}`;
    const own = textOf(cells, 'endpoints')
      .split(/[\s;,]+/)
      .filter((name) => name !== '');
    const endpointIds = [...new Set([...defaults.endpoints, ...own])];
    const consumer: Declared = {
      id,
      ...present(consumerTexts.map(({ name }) => [name, textOf(cells, name)])),
      labels: present(labels.map((field) => [field.slice(LABEL.length), textOf(cells, field)])),
      credentials: credentialId === null ? [] : [{ id: credentialId, method }],
    };
    return { consumer, row: { line, consumerId: id, credentialId, endpointIds } };
  });
  const grants = partners.flatMap(({ row }) =>
    row.endpointIds.map((endpoint) => ({ row, grant: { endpoint, consumer: row.consumerId } })),
  );
  const text = JSON.stringify({
    version: 1,
    consumers: partners.map(({ consumer }) => consumer),
    grants: grants.map(({ grant }) => grant),
  });
  const toCell = (problem: Problem): Problem => {
    const [, list = '', index = '', path = ''] = /^(consumers|grants)\[(\d+)\]\.?(.*)$/.exec(problem.path) ?? [];
    const row = list === 'grants' ? grants[Number(index)]?.row : partners[Number(index)]?.row;
    const field = list === 'grants' ? 'endpoints' : fieldOf(path);
    const at = columns.get(field);
    const where = at === undefined ? '' : `column ${quoted(headings[at] ?? '')}: `;
    return { ...problem, line: row?.line ?? 1, column: (at ?? 0) + 1, message: `${where}${problem.message}` };
  };
  const used = new Set(columns.values());
  return {
    source: { file, text },
    rows: partners.map(({ row }) => row),
    unused: headings.filter((_, at) => !used.has(at)),
    toCell,
  };
}

const LABEL = 'label.';

function columnsOf(headings: readonly string[], map: RowDefaults['map']): ReadonlyMap<string, number> {
  const columns = new Map<string, number>();
  for (const [at, heading] of headings.entries()) {
    if (importedFields.includes(heading) || heading.startsWith(LABEL)) columns.set(heading, at);
  }
  for (const [field, heading] of Object.entries(map)) {
    const at = headings.indexOf(heading);
    if (at === -1)
      throw new UsageError(`--map ${field}=${heading}: no column is called that; there are: ${headings.join(', ')}`);
    columns.set(field, at);
  }
  if (!columns.has('id')) throw new UsageError('no column gives the ids of consumers; name it with --map id=COLUMN');
  return columns;
}

function fieldOf(path: string): string {
  if (path.startsWith('labels.')) return `${LABEL}${path.slice('labels.'.length)}`;
  if (path.endsWith('.method')) return 'method';
  return path.startsWith('credentials') ? 'credential' : path || 'id';
}

function present(entries: readonly (readonly [string, string])[]): Declared {
  return Object.fromEntries(entries.filter(([, text]) => text !== ''));
}
