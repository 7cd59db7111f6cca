import { type Refusal, refuse } from '../refusal.ts';
import type { Reservation } from '../replay/replay-guard.ts';

/**
 * The refusal of what counts once and was used before, or for which the memory of used ones has no room (spec §4.4).
 *
 * @param what `signature`
 */
export function refuseUsed(reservation: Exclude<Reservation, 'first'>, what: string): Refusal {
  switch (reservation) {
    case 'repeated':
      return refuse('REQUEST_REPLAYED', `the ${what} was used before`);
    case 'outdated':
      return refuse('REQUEST_EXPIRED', `the ${what} is of a time of which used ones are no longer remembered`);
    default:
      return {
        ...refuse('RATE_LIMITED', `the caller has used up its share of the ${what}s that can be remembered`),
        exceeded: { reading: null, retryAfterSeconds: reservation.retryAfterSeconds },
      };
  }
}
