import { type LimitReading, unitSeconds } from '../model/limit.ts';
import { headerOption } from './check-response.ts';
import type { WireText } from './wire-text.ts';

/** The `RateLimit` headers of the IETF draft and their older forms, from the tightest limit (spec §4.2). */
export function limitHeaders({ limit, remaining, resetSeconds }: LimitReading): readonly WireText[] {
  const reset = String(resetSeconds);
  return [
    headerOption('ratelimit', `"default";r=${String(remaining)};t=${reset}`),
    headerOption('ratelimit-policy', `"default";q=${String(limit.requests)};w=${String(unitSeconds[limit.unit])}`),
    headerOption('x-ratelimit-limit', String(limit.requests)),
    headerOption('x-ratelimit-remaining', String(remaining)),
    headerOption('x-ratelimit-reset', reset),
  ];
}
