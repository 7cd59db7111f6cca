import type { Pending } from '../../../base/pending.ts';
import { findCredentialFault } from '../../../check/methods/caller.ts';
import { TOKEN_METHOD } from '../../../check/methods/methods.ts';
import type { ReplayGuard, Reservation } from '../../../check/replay/replay-guard.ts';
import type { HeldCredential } from '../../../check/store/credential-source.ts';
import type { WhichSecret } from '../../../model/credential.ts';
import { publicKeysOf } from '../../../model/material.ts';
import { findSigningKey } from './algorithms.ts';
import { findClaimFault } from './judge-claims.ts';
import type { AssertionClaims, NamedAssertion } from './read-assertion.ts';

/** An assertion that is right in everything, but may have been used before. */
export interface ProvenAssertion {
  readonly clientId: string;
  readonly claims: AssertionClaims;
  readonly held: HeldCredential;
  /** Which of the client's public keys verified it. */
  readonly key: WhichSecret;
}

/**
 * Verifies an assertion: its signature, by a key of the client, and then its claims. Otherwise why not, for the log.
 * Clients that are unknown, or have no public key, take as long as others.
 */
export async function verifyAssertion(
  { clientId, assertion }: NamedAssertion,
  held: HeldCredential | null,
  audiences: readonly string[],
  nowSeconds: number,
): Promise<ProvenAssertion | string> {
  if ('fault' in assertion) return assertion.fault;
  const keys = held === null ? null : publicKeysOf(held.credential.material, nowSeconds);
  const key = await findSigningKey(assertion, keys ?? []);
  const fault = findCredentialFault(held, TOKEN_METHOD, nowSeconds);
  if (fault !== null) return fault.detail;
  if (held === null || keys === null) return 'the credential has no public key';
  if (key === null) return 'the signature of the assertion is by no public key of the credential';
  return findClaimFault(assertion.claims, audiences, nowSeconds) ?? { clientId, claims: assertion.claims, held, key };
}

/** Why an assertion does not count whose `jti` is not used for the first time, for the log. */
export const usedDetails = {
  repeated: 'the jti of the assertion was used before',
  outdated: 'the assertion is from a time of which used ones are no longer remembered',
} as const satisfies Readonly<Record<Exclude<Reservation & string, 'first'>, string>>;

/**
 * Uses an assertion up, by its client and `jti`, until it ends. Throws, or rejects with, `StoreUnavailable` when that
 * cannot be known; then it may count as used.
 */
export function useOnce(
  { clientId, claims, held: { credential, consumer } }: ProvenAssertion,
  replayGuard: Pick<ReplayGuard, 'reserve'>,
): Pending<Reservation> {
  const endsAt = Math.ceil(claims.expiresAt);
  return replayGuard.reserve(
    {
      method: 'assertion',
      appKey: clientId,
      mark: Buffer.from(claims.assertionId, 'utf8'),
      credentialId: credential.id,
      consumerId: consumer.id,
      signedAtSeconds: endsAt,
      expiresAtSeconds: endsAt,
    },
    NO_SKEW,
  );
}

const NO_SKEW = 0;
