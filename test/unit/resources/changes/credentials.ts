import { generatePair } from '../../../../src/resources/changes/generate-credential.ts';
import { materialKindOf } from '../../../../src/model/material.ts';
import type { ManagedCredential, Stored } from '../../../../src/resources/resource.ts';
import { type GivenSecrets, materialWith } from '../../../support/store/secrets.ts';

/** The time of the tests about credentials. */
export const nowSeconds = 1_790_000_000;

/** A resource as a store has it. */
export function stored<T>(resource: T): Stored<T> {
  return { resource, revision: 3, createdAt: 1, updatedAt: 2 };
}

/** A credential of `acme`, active and without bounds but for what is given. */
export function credentialWith({
  retiringSecret = null,
  ...given
}: Partial<ManagedCredential> & Pick<GivenSecrets, 'retiringSecret'> = {}): ManagedCredential {
  const { methods = ['hmac'] } = given;
  const { appKey, appKeyHash, appSecret } = generatePair(materialKindOf(methods));
  return {
    ...{ id: 'acme-1', consumerId: 'acme', methods, appKey, appKeyHash },
    ...{
      material: materialWith(appSecret, retiringSecret),
      state: 'active',
      notBefore: null,
      expiresAt: null,
      allowFrom: null,
    },
    ...given,
  };
}
