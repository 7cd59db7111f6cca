import { callersOf, type Partner } from '../fixtures/partners.ts';
import type { RequestPorts, Row } from '../row.ts';

/** How many different messages a row sends in turn. */
const VARIETY = 1000;

/** A request target below a path, with an App Key in the query; without one, for an open endpoint, null. */
export function keyTarget(path: string, appKey: string | null): string {
  const key = appKey === null ? '' : `appKey=${appKey}&`;
  return `${path}/2026-1042?${key}page=2&fields=id%2Cstatus`;
}

/** Partners all over the list ask one after the other; `target` gives the request target of the one at `at` of 0 to 1. */
export function partnerMessages(target: (partner: Partner, at: number) => string, count = VARIETY): Row['messages'] {
  return ({ partners, edit }: RequestPorts) =>
    callersOf(partners, count).map((partner, at) => edit({ path: target(partner, at / count) }));
}

/** Partners with good keys ask for one endpoint. */
export function keyMessages(path: string, count?: number): Row['messages'] {
  return partnerMessages(({ appKey }) => keyTarget(path, appKey), count);
}
