import { html } from 'hono/html';
import { type Html, withQuery } from '../frame/html.ts';

/** A page of a list, as the API gives it. */
export interface ListPage<T> {
  readonly items: readonly T[];
  /** Where the next page begins; null for the last. */
  readonly nextCursor: string | null;
  /** How many there are on all pages, where that is known. */
  readonly total?: number;
}

/** The parameters of an address that say which page of a list it is; the others say which list. */
const pageNames = ['cursor', 'before', 'trail', 'done'];

/** The parameters that say which list an address shows. */
export function listQuery(query: URLSearchParams): Readonly<Record<string, readonly string[]>> {
  const names = [...query.keys()].filter((name) => !pageNames.includes(name));
  return Object.fromEntries(names.map((name) => [name, query.getAll(name)]));
}

/** The trail is part of addresses, which Node limits to 16 KB with all header fields. */
const MAX_TRAIL_CHARACTERS = 3000;

/** A page that was passed: how many items are before it, and its cursor; empty for the first. */
const STEP = /^(\d{1,9})\.([\w-]*)$/;

/**
 * Which items of a list these are, and the ways to the first, the former and the next page. The API knows only the
 * way on: the address keeps the way here, of which the oldest part goes where it gets too long.
 */
export function pager(path: string, query: URLSearchParams, { items, nextCursor, total }: ListPage<unknown>): Html {
  const cursor = query.get('cursor') ?? '';
  const before = beforeOf(query);
  if (items.length === 0 && cursor === '') return html``;
  const others = listQuery(query);
  const trail = trailOf(query);
  const hrefOf = (step: Step, way: readonly Step[]): string =>
    step.cursor === ''
      ? withQuery(path, others)
      : withQuery(path, { ...others, cursor: step.cursor, before: countText(step.before), trail: trailText(way) });
  const former = trail.at(-1);
  const here = before === null ? [] : [{ before, cursor }];
  const next =
    nextCursor === null
      ? null
      : hrefOf({ before: before === null ? null : before + items.length, cursor: nextCursor }, [...trail, ...here]);
  const place = placeOf(before, items.length, nextCursor === null, total);
  if (cursor === '' && next === null) return html`<p class="muted">${place}</p>`;
  return html`<nav class="pager" aria-label="Pages">
<span class="muted">${place}</span>
${cursor === '' ? null : html`<a href="${withQuery(path, others)}" rel="first">First page</a>`}
${former === undefined ? null : html`<a href="${hrefOf(former, trail.slice(0, -1))}" rel="prev">Previous page</a>`}
${next === null ? null : html`<a href="${next}" rel="next">Next page</a>`}
</nav>`;
}

interface Step {
  /** How many items are before the page; null where the address does not say it. */
  readonly before: number | null;
  readonly cursor: string;
}

/** How many items are before this page; null for a later page whose address does not say it. */
function beforeOf(query: URLSearchParams): number | null {
  if (!query.has('cursor')) return 0;
  const [, before] = STEP.exec(`${query.get('before') ?? ''}.`) ?? [];
  return before === undefined ? null : Number(before);
}

function trailOf(query: URLSearchParams): readonly Step[] {
  if (!query.has('cursor')) return [];
  return (query.get('trail') ?? '').split('~').flatMap((text) => {
    const [, before, cursor] = STEP.exec(text) ?? [];
    return before === undefined || cursor === undefined ? [] : [{ before: Number(before), cursor }];
  });
}

function trailText(trail: readonly Step[]): string {
  const texts = trail.map(({ before, cursor }) => `${countText(before)}.${cursor}`);
  while (texts.join('~').length > MAX_TRAIL_CHARACTERS) texts.shift();
  return texts.join('~');
}

function countText(count: number | null): string {
  return count === null ? '' : String(count);
}

/** `All 3`, `1 to 50 of 23,125`, `1 to 50 of more than 50` or `51 to 73 of 73`. */
function placeOf(before: number | null, count: number, isLast: boolean, total = 0): string {
  const text = (value: number): string => value.toLocaleString('en');
  if (before === null) return `${text(count)} on this page${isLast ? ', the last' : ''}`;
  const end = before + count;
  if (before === 0 && isLast) return `All ${text(end)}`;
  const all = isLast ? text(end) : total > end ? text(total) : `more than ${text(end)}`;
  return `${text(before + 1)} to ${text(end)} of ${all}`;
}
