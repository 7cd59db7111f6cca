import { generatePair } from '../../../../src/resources/changes/generate-credential.ts';
import type { ManagedCredential, Stored } from '../../../../src/resources/resource.ts';

/** The time of the tests about credentials. */
export const nowSeconds = 1_790_000_000;

/** A resource as a store has it. */
export function stored<T>(resource: T): Stored<T> {
  return { resource, revision: 3, createdAt: 1, updatedAt: 2 };
}

/** A credential of `acme`, active and without bounds but for what is given. */
export function credentialWith(given: Partial<ManagedCredential> = {}): ManagedCredential {
  const { methods = ['hmac'] } = given;
  return {
    ...{ id: 'acme-1', consumerId: 'acme', methods, ...generatePair(methods) },
    ...{ retiringSecret: null, state: 'active', notBefore: null, expiresAt: null },
    ...given,
  };
}
