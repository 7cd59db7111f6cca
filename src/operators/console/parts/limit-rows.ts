import { html } from 'hono/html';
import { hasLasting, LASTING_WITHOUT_SERVICE } from '../../../check/limit/lasting-limits.ts';
import { type Limit, limitScopes, limitUnits } from '../../../model/limit.ts';
import type { Html } from '../frame/html.ts';
import type { Form } from '../frame/page.ts';
import { type Choice, hiddenField, type Refused, selectField, textField } from './form.ts';
import { typedNumber } from './text-lines.ts';

/** One limit as it is typed; without requests it is none. */
export interface LimitRow {
  readonly requests: string;
  readonly unit: string;
  readonly per: string;
}

/** So many rows are there for further limits; more after they were saved. */
const FREE_ROWS = 2;
/** More than there are pairs of unit and scope. */
const MAX_ROWS = 20;
const free: LimitRow = { requests: '', unit: 'minute', per: 'consumer' };

/** Limits as they are. */
export function rowsOfLimits(limits: readonly Limit[]): readonly LimitRow[] {
  return limits.map(({ requests, unit, per }) => ({ requests: String(requests), unit, per }));
}

/** Limits as they were typed. */
export function rowsOfForm(form: Form): readonly LimitRow[] {
  return Array.from({ length: MAX_ROWS }, (_, index) => ({
    requests: form.text(`requests-${String(index)}`),
    unit: form.text(`unit-${String(index)}`),
    per: form.text(`per-${String(index)}`),
  })).filter(({ requests }) => requests !== '');
}

/** What the API takes; a number that is none is left to it to refuse. */
export function limitsOfRows(rows: readonly LimitRow[]): readonly object[] {
  return rows.map(({ requests, unit, per }) => ({ requests: typedNumber(requests), unit, per }));
}

const unitChoices: readonly Choice[] = limitUnits.map((unit) => ({ value: unit, text: `each ${unit}` }));
const scopeTexts = { consumer: 'each consumer', endpoint: 'all callers together' } as const;

/**
 * Fields for limits, with room for more. `pointer` is the list in the API's body, such as `/trafficControl/limits`.
 * `scopes` are those that may be chosen.
 */
export function limitFields(
  rows: readonly LimitRow[],
  { pointer, refused, scopes = limitScopes }: LimitFieldsParts,
): Html {
  const shown = [...rows, ...Array.from({ length: FREE_ROWS }, () => free)].slice(0, MAX_ROWS);
  const only = scopes.length === 1 ? scopes[0] : undefined;
  const scopeChoices = scopes.map((scope) => ({ value: scope, text: scopeTexts[scope] }));
  return html`${lastingHint}
${shown.map(({ requests, unit, per }, index) => {
  const at = String(index);
  const own = `${pointer}/${at}`;
  return html`<fieldset class="limit"><legend>Limit ${String(index + 1)}</legend>
${textField(
  {
    name: `requests-${at}`,
    label: 'Requests',
    value: requests,
    pointers: [`${own}/requests`],
    hint: index < rows.length ? 'Empty removes this limit.' : 'Empty adds none.',
  },
  refused,
)}
${selectField(
  { name: `unit-${at}`, label: 'In', value: unit, choices: unitChoices, pointers: [`${own}/unit`] },
  refused,
)}
${
  only === undefined
    ? selectField(
        { name: `per-${at}`, label: 'Counted for', value: per, choices: scopeChoices, pointers: [`${own}/per`] },
        refused,
      )
    : hiddenField(`per-${at}`, only)
}
</fieldset>`;
})}`;
}

/** The console does not know whether the replicas have a rate limit service. */
const lastingHint = html`<p class="muted">Limits ${LASTING_WITHOUT_SERVICE}
(<code>POSTERN_RATE_LIMIT_SERVICE</code>). One command starts one: <code>deploy/ratelimit/start</code>.</p>`;

/** What to know of limits that are shown, where some last so long. */
export function lastingNote(limits: readonly Limit[]): Html | null {
  return hasLasting(limits) ? lastingHint : null;
}

interface LimitFieldsParts {
  readonly pointer: string;
  readonly refused: Refused;
  readonly scopes?: readonly (keyof typeof scopeTexts)[];
}
