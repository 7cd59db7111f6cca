import { html } from 'hono/html';
import { type Html, url } from '../frame/html.ts';
import type { Cell } from '../parts/table.ts';
import { labels, time } from '../parts/values.ts';
import type { ShownPlan, ShownPlanUse } from './shown-plan.ts';

/** Whom a plan covers. */
export function consumersOf({ consumerSelector }: ShownPlan): Html {
  return consumerSelector === undefined ? html`every consumer` : labels(consumerSelector);
}

/** Where it counts. */
export function endpointsOf({ endpoints, endpointSelector }: ShownPlan): Html {
  if (endpoints !== undefined) {
    const links = endpoints.map((id) => html`<li><a href="${url`/endpoints/${id}`}">${id}</a></li>`);
    return html`<ul class="plain">${links}</ul>`;
  }
  return endpointSelector === undefined ? html`every endpoint` : labels(endpointSelector);
}

/** Its limits, one on each line: `5,000,000 each month`. */
export function planLimits({ limits }: Pick<ShownPlan, 'limits'>): Html {
  const lines = limits.map(({ requests, unit }) => html`<li>${requests.toLocaleString('en')} each ${unit}</li>`);
  return html`<ul class="plain">${lines}</ul>`;
}

/** The columns of {@link useRow}. */
export const useColumns = ['Consumer', 'Limit', 'Used', 'Share', 'Begins anew'];

/** What a consumer has used, with a bar. The number beside it says the same. */
export function useRow({ consumer, requests, unit, used, until }: ShownPlanUse): readonly Cell[] {
  const part = `${String(Math.floor((used / requests) * 100))} %`;
  const bar = html`<meter min="0" max="${requests}" high="${requests * 0.8}" optimum="0" value="${Math.min(
    used,
    requests,
  )}" aria-label="Used by ${consumer}">${part}</meter>`;
  return [
    html`<a href="${url`/consumers/${consumer}`}">${consumer}</a>`,
    `${requests.toLocaleString('en')} each ${unit}`,
    `${used.toLocaleString('en')} (${part})`,
    bar,
    time(until),
  ];
}
