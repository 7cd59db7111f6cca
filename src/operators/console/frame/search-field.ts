import { html } from 'hono/html';
import type { Html } from './html.ts';

/** The field that stands on every page. */
export function searchField(wanted: string): Html {
  return html`<form method="get" action="/search" role="search" aria-label="Everything" class="search-all">
<input type="search" name="q" value="${wanted}" maxlength="2000" autocomplete="off" spellcheck="false" data-shortcut="/"
 placeholder="Search" aria-label="Search everything">
</form>`;
}
