import { declareTime } from '../../resources/declared.ts';
import { replaceInvisible } from '../../document/source-text.ts';
import type { Paint } from '../../manage/render-change.ts';
import type { Stored } from '../../resources/resource.ts';
import type { Limit } from '../../model/limit.ts';
import { formatTimeFrom } from './text.ts';

/** A name and what it has, one line or more; null is left out. */
export type Field = readonly [name: string, value: string | readonly string[] | null];

/** A resource as lines for people: its heading, then its fields in a column. Texts of operators cannot move the cursor. */
export function renderFields(heading: string, fields: readonly Field[], paint: Paint): string {
  const shown = fields.flatMap(([name, value]) => (value === null ? [] : [[name, linesOf(value)] as const]));
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  const lines = shown.flatMap(([name, values]) =>
    values.map((value, index) => `  ${paint.dim((index === 0 ? name : '').padEnd(width))}  ${replaceInvisible(value)}`),
  );
  return `${[paint.bold(replaceInvisible(heading)), ...lines].join('\n')}\n`;
}

function linesOf(value: string | readonly string[]): readonly string[] {
  return typeof value === 'string' ? [value] : value;
}

/** Revision and times, for people; nothing for a declarative file, which has none. */
export function versionFields(
  { revision, createdAt, updatedAt }: Stored<unknown>,
  nowSeconds: number,
): readonly Field[] {
  if (revision === 0) return [];
  return [
    ['created', formatTimeFrom(createdAt, nowSeconds)],
    ['updated', revision === 1 ? null : formatTimeFrom(updatedAt, nowSeconds)],
    ['revision', String(revision)],
  ];
}

/** Revision and times, for programs. */
export function declareVersion({ revision, createdAt, updatedAt }: Stored<unknown>): object {
  return revision === 0 ? {} : { revision, createdAt: declareTime(createdAt), updatedAt: declareTime(updatedAt) };
}

/** A limit in the form in which it is given: `100/minute/consumer`. */
export function formatLimit({ requests, unit, per }: Limit): string {
  return `${String(requests)}/${unit}/${per}`;
}

/** Limits in a cell of a table; `-` for none. */
export function formatLimits(limits: readonly Limit[]): string {
  return limits.length === 0 ? '-' : limits.map(formatLimit).join(', ');
}

/** The limits of a grant in a cell: its own, those of the endpoint, or that it has none. */
export function formatGrantLimits(limits: readonly Limit[] | null): string {
  if (limits === null) return 'as the endpoint';
  return limits.length === 0 ? 'none' : limits.map(({ requests, unit }) => `${String(requests)}/${unit}`).join(', ');
}
