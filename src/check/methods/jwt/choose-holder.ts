import { type Pending, whenReady } from '../../../base/pending.ts';
import type { CredentialSource, HeldCredential } from '../../store/credential-source.ts';
import type { DerivedAppKey } from './issuer-tokens.ts';
import type { FaultyToken } from './token-faults.ts';

/** A credential whose claims a token has, and how many these are. */
interface Match {
  readonly held: HeldCredential;
  readonly claims: number;
}

/**
 * The credential that a token is for, whatever its state: the one that names the most claims, of those whose claims the
 * token has. All of them must be of one consumer: whose the token is must not depend on which was issued last. Throws,
 * or rejects with, `StoreUnavailable` when that cannot be known.
 *
 * @param appKeys those of the most claims first
 */
export function chooseHolder(
  appKeys: readonly DerivedAppKey[],
  credentials: CredentialSource,
): Pending<HeldCredential | FaultyToken> {
  const [first] = appKeys;
  // Nearly every token.
  if (first !== undefined && appKeys.length === 1) {
    return whenReady(credentials.findByAppKey(first.appKey, first.appKeyHash), orNobody);
  }
  return whenReady(findMatches(appKeys, credentials), choose);
}

function orNobody(held: HeldCredential | null): HeldCredential | FaultyToken {
  return held ?? { fault: 'noCredential' };
}

/** One look-up after the other: a token has rarely the claims of more than one. */
function findMatches(
  appKeys: readonly DerivedAppKey[],
  credentials: CredentialSource,
  at = 0,
  matches: readonly Match[] = [],
): Pending<readonly Match[]> {
  const next = appKeys[at];
  if (next === undefined) return matches;
  return whenReady(credentials.findByAppKey(next.appKey, next.appKeyHash), (held) => {
    const found = held === null ? matches : [...matches, { held, claims: next.claims }];
    return findMatches(appKeys, credentials, at + 1, found);
  });
}

function choose([first, ...others]: readonly Match[]): HeldCredential | FaultyToken {
  if (first === undefined) return { fault: 'noCredential' };
  const isClear = others.every(
    ({ held, claims }) => held.consumer.id === first.held.consumer.id && claims < first.claims,
  );
  return isClear ? first.held : { fault: 'ambiguous' };
}
