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
export function useRow(use: ShownPlanUse): readonly Cell[] {
  const { consumer, requests, unit, used, until } = use;
  return [
    html`<a href="${url`/consumers/${consumer}`}">${consumer}</a>`,
    `${requests.toLocaleString('en')} each ${unit}`,
    `${used.toLocaleString('en')} (${shareOf(use)})`,
    useMeter(use, consumer),
    time(until),
  ];
}

/** How much of how much. */
export interface Used {
  readonly used: number;
  readonly requests: number;
}

/** The share that is used: `80 %`. */
export function shareOf({ used, requests }: Used): string {
  return `${String(Math.floor((used / requests) * 100))} %`;
}

/** The share as a bar; `whose` is read out with it. */
export function useMeter(use: Used, whose: string): Html {
  const { requests, used } = use;
  const value = Math.min(used, requests);
  return html`<meter min="0" max="${requests}" high="${requests * 0.8}" optimum="0" value="${value}" aria-label="Used by ${whose}">${shareOf(
    use,
  )}</meter>`;
}
