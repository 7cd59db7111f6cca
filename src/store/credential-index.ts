import { hash } from 'node:crypto';
import type { Consumer } from '../model/consumer.ts';
import type { Credential } from '../model/credential.ts';
import type { CredentialSource, HeldCredential } from './credential-source.ts';

/** What can be an App Key at all (spec §1); anything else is unknown without a look-up. */
const APP_KEY = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * Indexes credentials by the SHA-256 of their App Keys. The look-up compares only hashes, so the time it takes tells
 * nothing about App Keys that exist: for `key` endpoints they are secrets (spec §3).
 */
export function compileCredentialIndex(
  credentials: readonly Credential[],
  consumers: readonly Consumer[],
): CredentialSource {
  const consumerById = new Map(consumers.map((consumer) => [consumer.id, consumer]));
  const held = new Map<string, HeldCredential>();
  for (const credential of credentials) {
    const consumer = consumerById.get(credential.consumerId);
    if (consumer === undefined) throw new Error(`credential ${credential.id} belongs to no consumer`);
    held.set(indexKey(credential.appKey), { credential, consumer });
  }
  return {
    findByAppKey: (appKey) => (APP_KEY.test(appKey) ? (held.get(indexKey(appKey)) ?? null) : null),
  };
}

function indexKey(appKey: string): string {
  return hash('sha256', appKey, 'binary');
}
