import { html } from 'hono/html';
import { sortedEntries } from '../../../model/labels.ts';
import type { Limit } from '../../../model/limit.ts';
import type { Html } from '../frame/html.ts';

/** A time of the API (`2027-01-01T00:00:00Z`), in UTC; the script shows it in the time zone of the reader too. */
export function time(iso: string): Html {
  const text = `${iso.slice(0, 16).replace('T', ' ')} UTC`;
  return html`<time datetime="${iso}">${text}</time>`;
}

/** A time that may be missing; the text then. */
export function timeOr(iso: string | null | undefined, otherwise: string): Html {
  return iso === null || iso === undefined ? html`<span class="muted">${otherwise}</span>` : time(iso);
}

/** Labels, in the order of their names. */
export function labels(given: Readonly<Record<string, string>> | undefined): Html {
  const texts = sortedEntries(given ?? {}).map(([name, value]) => html`<li><code>${name}=${value}</code></li>`);
  return texts.length === 0 ? html`<span class="muted">none</span>` : html`<ul class="labels">${texts}</ul>`;
}

/** How something stands. The words say it; the colour only repeats them. */
export function badge(text: string, tone: 'good' | 'warning' | 'bad' | 'plain'): Html {
  return html`<span class="badge ${tone}">${text}</span>`;
}

/** Whether something is enabled. */
export function enabledBadge(isEnabled: boolean): Html {
  return isEnabled ? badge('enabled', 'good') : badge('disabled', 'bad');
}

/** A text to copy as a whole: the button works with script, and without it the text can be selected. */
export function copyable(text: string, what: string, id: string): Html {
  return html`<span class="copyable"><code id="${id}">${text}</code> <button type="button" hidden class="quiet"
 data-copy="${id}" aria-label="Copy ${what}">Copy</button></span>`;
}

/** Limits, one on each line: `100 each minute, each consumer`. */
export function limitList(limits: readonly Limit[]): Html {
  if (limits.length === 0) return html`<span class="muted">no limits</span>`;
  const lines = limits.map(
    ({ requests, unit, per }) =>
      html`<li>${requests.toLocaleString('en')} each ${unit}${per === 'endpoint' ? ', all callers together' : ''}</li>`,
  );
  return html`<ul class="plain">${lines}</ul>`;
}
