import { isLive } from '../clock.ts';
import type { AuthenticationMethod } from '../model/endpoint.ts';
import type { HeldCredential } from '../store/credential-source.ts';

/**
 * Why a credential cannot be used now for a method, for the log; null when it can. Callers are told the same whatever
 * it is (spec §3): also when nobody holds the App Key, given as null.
 */
export function findCredentialFault(
  held: HeldCredential | null,
  method: AuthenticationMethod,
  nowSeconds: number,
): string | null {
  if (held === null) return 'the App Key is unknown';
  const { credential, consumer } = held;
  if (!credential.methods.includes(method)) return `the credential ${credential.id} is not for ${method}`;
  if (credential.state === 'revoked') return `the credential ${credential.id} is revoked`;
  if (!isLive(credential, nowSeconds)) {
    const hasExpired = credential.expiresAt !== null && nowSeconds >= credential.expiresAt;
    return `the credential ${credential.id} ${hasExpired ? 'has expired' : 'is not valid yet'}`;
  }
  if (!consumer.enabled) return `the consumer ${consumer.id} is disabled`;
  return null;
}
