import type { KnownPublicKey } from '../../check/methods/explanation/explainer.ts';
import { proofOf } from '../../check/methods/methods.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import { takesMaterial } from '../../model/material.ts';
import { keyOfThumbprint, knownKeysOf } from './known-keys.ts';
import { collectAll, type ResourceStore } from '../../resources/changes/resource-store.ts';
import type { ManagedCredential } from '../../resources/resource.ts';

/** Other credentials of a consumer whose keys are tried. */
const MAX_OTHERS = 20;
/** What a thumbprint of RFC 7638 looks like. */
const THUMBPRINT = /^[\w-]{43}$/;

/** Whose signature a request to an endpoint has. */
interface KeyQuery {
  readonly endpoint: Endpoint;
  /** The credential with the App Key; null for none. */
  readonly owner: ManagedCredential | null;
  /** The App Key that was sent; null for none. */
  readonly keyid: string | null;
  readonly nowSeconds: number;
}

/**
 * The public keys that a signature may be of: the credential's own, those of the consumer's other credentials, and for
 * a `keyid` that no credential has, the one whose thumbprint it is. None where callers do not sign with private keys.
 */
export async function readStoredKeys(
  store: Pick<ResourceStore, 'find' | 'list'>,
  { endpoint, owner, keyid, nowSeconds }: KeyQuery,
): Promise<readonly KnownPublicKey[]> {
  const { authentication } = endpoint;
  if (authentication === null || !takesMaterial(authentication, 'public-key')) return [];
  if (proofOf(endpoint) !== 'signature') return [];
  if (owner !== null) {
    const others = await collectAll(store.list('credential', { consumerId: owner.consumerId, most: MAX_OTHERS }));
    return knownKeysOf(
      owner,
      others.slice(0, MAX_OTHERS).map(({ resource }) => resource),
      nowSeconds,
    );
  }
  if (keyid === null || !THUMBPRINT.test(keyid)) return [];
  for await (const { resource } of store.list('credential', {})) {
    const found = keyOfThumbprint(resource, keyid);
    if (found.length > 0) return found;
  }
  return [];
}
