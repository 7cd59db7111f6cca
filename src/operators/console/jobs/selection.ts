import { html } from 'hono/html';
import type { Html } from '../frame/html.ts';
import { jobsLink } from './job-page.ts';

const FORM = 'selection';

/** A box beside a record that selects it for {@link selectionForm}. */
export function selectBox(id: string): Html {
  return html`<input type="checkbox" form="${FORM}" name="id" value="${id}" aria-label="Select ${id}">`;
}

/** Buttons that lead to a page which says what happens to what is selected, and asks. */
export function selectionForm(path: string, actions: Readonly<Record<string, { readonly verb: string }>>): Html {
  const each = Object.entries(actions).map(
    ([name, { verb }]) => html`<button type="submit" name="action" value="${name}">${verb}</button>`,
  );
  return html`<form method="get" action="${path}" id="${FORM}" aria-label="What is selected">
<p class="buttons">With what is selected: ${each} ${jobsLink()}</p>
</form>`;
}
