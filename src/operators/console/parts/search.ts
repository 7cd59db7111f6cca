import { html } from 'hono/html';
import type { Html } from '../frame/html.ts';

/** A list to search. */
interface Search {
  /** Of the list: `/consumers`. */
  readonly path: string;
  /** Such as `Find a consumer`. */
  readonly label: string;
  readonly hint: Html;
  /** What was asked for; empty for all. */
  readonly wanted: string;
  /** Fields that the search keeps. */
  readonly kept?: Html;
}

/** A form that finds records of a list by a text or a label. Its address can be kept. */
export function searchForm({ path, label, hint, wanted, kept }: Search): Html {
  return html`<form method="get" action="${path}" role="search" class="search">${kept ?? null}
<div class="field"><label for="q">${label}</label>
<p class="hint" id="q-hint">${hint}</p>
<input type="search" id="q" name="q" value="${wanted}" maxlength="100" autocomplete="off" spellcheck="false"
 aria-describedby="q-hint"></div>
<p class="buttons"><button type="submit" class="primary">Find</button>
${wanted === '' ? null : html`<a href="${path}">Show all</a>`}</p>
</form>`;
}

/** What was asked for, as the API takes it: a label with its value, or a text. */
export function wishOf(wanted: string): Readonly<Record<string, string>> {
  return wanted.indexOf('=') > 0 ? { label: wanted } : { q: wanted };
}
