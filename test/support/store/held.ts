import { hashAppKey } from '../../../src/model/app-key.ts';
import { sharedSecret } from '../../../src/model/material.ts';
import { Secret } from '../../../src/model/secret.ts';
import { type HeldCredential } from '../../../src/check/store/credential-source.ts';
import { consumer } from '../pipeline/resources.ts';

/**
 * The credential `ID` with the App Key `key-ID` of a consumer, distinguished from other versions of it by `version`.
 */
export function held(id: string, consumerId = 'acme', version = 1): HeldCredential {
  return {
    credential: {
      id,
      consumerId,
      methods: ['hmac'],
      appKeyHash: hashOf(id),
      material: sharedSecret(Secret.fromText(`the secret of ${id}, version ${String(version)}`)),
      state: 'active',
      notBefore: null,
      expiresAt: null,
      allowFrom: null,
    },
    consumer: consumer({ id: consumerId, description: String(version) }),
    grants: new Map(),
  };
}

/** The App Key of the credential with this id. */
export function keyOf(id: string): string {
  return `key-${id}`;
}

/** The hash of that App Key. */
export function hashOf(id: string): string {
  return hashAppKey(keyOf(id));
}
