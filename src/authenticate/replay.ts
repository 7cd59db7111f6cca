import { type Pending, whenReady } from '../pending.ts';
import { refuse, type Refusal } from '../refusal.ts';
import { replayKeyOf, type UsedSignature } from '../replay/replay-guard.ts';
import type { AuthenticationPorts } from './authenticated.ts';

/** Beside the time in which a signature works: clocks of replicas differ, and a large body is checked after its time was. */
const SLACK_SECONDS = 60;

/**
 * Refuses a signature that was used before, with `REQUEST_REPLAYED`, where `replayProtection` is on (spec §4.4); null for
 * one that is used for the first time. To be asked last: it counts as used from then on, whatever else becomes of the
 * request. Throws, or rejects with, `StoreUnavailable` when it cannot know.
 */
export function refuseReplay(
  { replayProtection, clockSkewSeconds }: { readonly replayProtection: boolean; readonly clockSkewSeconds: number },
  signature: UsedSignature,
  { clock, replayGuard }: Pick<AuthenticationPorts, 'clock' | 'replayGuard'>,
): Pending<Refusal | null> {
  if (!replayProtection) return null;
  // A time from the future is good for twice the allowed distance.
  const untilSeconds = clock.nowSeconds() + 2 * clockSkewSeconds + SLACK_SECONDS;
  return whenReady(replayGuard.reserve(replayKeyOf(signature), untilSeconds), (reservation) =>
    reservation === 'first' ? null : refuse('REQUEST_REPLAYED', 'the signature was used before'),
  );
}
