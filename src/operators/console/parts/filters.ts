import { html } from 'hono/html';
import type { Html } from '../frame/html.ts';
import type { Choice } from './form.ts';

/** A field that narrows a list; with choices one of them, else a text. */
export interface Filter {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly choices?: readonly Choice[];
  readonly placeholder?: string;
}

/** A form that narrows a list. It changes nothing, and its address can be kept. */
export function filterForm(path: string, filters: readonly Filter[]): Html {
  return html`<form method="get" action="${path}" role="search" class="filters">
${filters.map(fieldOf)}
<p class="buttons"><button type="submit">Show</button> <a href="${path}">Reset</a></p>
</form>`;
}

function fieldOf({ name, label, value, choices, placeholder = '' }: Filter): Html {
  return html`<div class="field"><label for="filter-${name}">${label}</label>
${
  choices === undefined
    ? html`<input type="search" id="filter-${name}" name="${name}" value="${value}" placeholder="${placeholder}" maxlength="2000" autocomplete="off"
 spellcheck="false">`
    : html`<select id="filter-${name}" name="${name}">${choices.map(
        (choice) =>
          html`<option value="${choice.value}" ${choice.value === value ? html`selected` : null}>${choice.text}</option>`,
      )}</select>`
}</div>`;
}

/** The values of filters as the address has them. */
export function filterValues<N extends string>(
  query: URLSearchParams,
  names: readonly N[],
): Readonly<Record<N, string>> {
  return Object.fromEntries(names.map((name) => [name, (query.get(name) ?? '').trim()])) as Record<N, string>;
}
