import { html } from 'hono/html';
import { type Html, withQuery } from '../frame/html.ts';

/** A page of a list, as the API gives it. */
export interface ListPage<T> {
  readonly items: readonly T[];
  /** Where the next page begins; null for the last. */
  readonly nextCursor: string | null;
}

/** The way to the next page of a list and back to the first. Empty where all is on one page. */
export function pager(path: string, query: URLSearchParams, nextCursor: string | null): Html {
  const others = Object.fromEntries([...query].filter(([name]) => name !== 'cursor' && name !== 'done'));
  const isFirst = !query.has('cursor');
  if (isFirst && nextCursor === null) return html``;
  const next = nextCursor === null ? null : withQuery(path, { ...others, cursor: nextCursor });
  return html`<nav class="pager" aria-label="Pages">
${isFirst ? null : html`<a href="${withQuery(path, others)}" rel="first">First page</a>`}
${next === null ? null : html`<a href="${next}" rel="next">Next page</a>`}
</nav>`;
}
