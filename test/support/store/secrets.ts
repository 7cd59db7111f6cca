import type { Credential } from '../../../src/model/credential.ts';
import { appKeyMaterial, type Material, type RetiringSecret, sharedSecret } from '../../../src/model/material.ts';
import type { Secret } from '../../../src/model/secret.ts';

/** The material with an App Secret; without one, the App Key is the secret. */
export function materialWith(appSecret: Secret | null, retiringSecret: RetiringSecret | null = null): Material {
  return appSecret === null ? appKeyMaterial : sharedSecret(appSecret, retiringSecret);
}

/** Secrets of a credential as tests give them. */
export interface GivenSecrets {
  /** Null for a credential whose App Key is the secret. */
  readonly appSecret?: Secret | null;
  readonly retiringSecret?: RetiringSecret | null;
}

/** The secrets of a credential, null what it has not. */
export function secretsOf(credential: Pick<Credential, 'material'> | null | undefined): {
  readonly appSecret: Secret | null;
  readonly retiringSecret: RetiringSecret | null;
} {
  const material = credential?.material ?? appKeyMaterial;
  return material.kind === 'shared-secret' ? material : { appSecret: null, retiringSecret: null };
}
