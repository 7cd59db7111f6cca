import type { Endpoint } from '../../model/endpoint.ts';
import { formatPathRule } from '../flags/parse-path-rule.ts';

/** Who is let in, in one word or two. */
export function accessOf(endpoint: Endpoint): string {
  if (endpoint.scenario === 'open') return 'everybody';
  return endpoint.accessCondition === 'authenticated' ? 'authenticated' : 'granted only';
}

/** Which requests it takes, on one line: `GET,POST api.example.com /orders, exact:/order-status`. */
export function matchOf({ match: { hosts, paths, methods } }: Endpoint): string {
  const parts = [methods.join(','), hosts.join(','), paths.map(formatPathRule).join(', ')];
  return parts.filter((part) => part !== '').join(' ');
}
