import { html } from 'hono/html';
import type { Html } from '../frame/html.ts';
import { hiddenField } from './form.ts';
import { listQuery } from './pager.ts';

/** The parameter with the names of columns, once for each. */
const PARAMETER = 'column';

/** The columns that an address asks for, in the order of the table; the usual ones where it asks for none. */
export function chosenColumns<N extends string>(
  query: URLSearchParams,
  names: readonly N[],
  usual: readonly N[],
): readonly N[] {
  const asked = query.getAll(PARAMETER);
  const chosen = names.filter((name) => asked.includes(name));
  return chosen.length === 0 ? usual : chosen;
}

/** Fields that keep the choice in a form that asks for another part of the list. */
export function keptColumns(query: URLSearchParams): Html {
  return html`${query.getAll(PARAMETER).map((name) => hiddenField(PARAMETER, name))}`;
}

/** A form that chooses columns of a list. It changes nothing, and its address can be kept. */
export function columnChoice(
  path: string,
  query: URLSearchParams,
  columns: readonly { readonly name: string; readonly text: string; readonly isShown: boolean }[],
): Html {
  const kept = Object.entries(listQuery(query)).filter(([name]) => name !== PARAMETER);
  return html`<details class="columns"><summary>Columns</summary>
<form method="get" action="${path}">
${kept.flatMap(([name, values]) => values.map((value) => hiddenField(name, value)))}
<fieldset><legend>Columns beside the id</legend>
${columns.map(
  ({ name, text, isShown }) =>
    html`<p class="tick"><input type="checkbox" id="column-${name}" name="${PARAMETER}" value="${name}" ${
      isShown ? html`checked` : null
    }> <label for="column-${name}">${text}</label></p>`,
)}
</fieldset>
<p class="buttons"><button type="submit">Show these</button></p>
</form></details>`;
}
