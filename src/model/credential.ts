import type { Lifetime } from '../base/clock.ts';
import type { AddressList } from './address-list.ts';
import type { AuthenticationMethod } from './endpoint.ts';
import type { Material } from './material.ts';

/** The states that a credential is stored with (spec §1): `retiring` works until its end, `revoked` not at all. */
export const credentialStates = ['active', 'retiring', 'revoked'] as const;
export type CredentialState = (typeof credentialStates)[number];

/** The App Secret that a caller used. A caller who needs none counts as using the current one. */
export type WhichSecret = 'current' | 'retiring';

/** The fields that stand by themselves; `resources/credential-fields.ts` says of each how it is written and shown. */
export interface CredentialFields extends Lifetime {
  /** `retiring` works until `expiresAt`, which it then has. */
  readonly state: CredentialState;
  /** Where its callers may come from, beside the list of the consumer; null for anywhere. */
  readonly allowFrom: AddressList | null;
}

/** What a credential is of which no more is said. */
export const credentialDefaults: CredentialFields = {
  state: 'active',
  notBefore: null,
  expiresAt: null,
  allowFrom: null,
};

/** App Key and App Secret of a consumer, for one authentication method or, when imported, several (spec §1). */
export interface Credential extends CredentialFields {
  /** `^[a-z0-9][a-z0-9-]{0,62}$` */
  readonly id: string;
  readonly consumerId: string;
  readonly methods: readonly AuthenticationMethod[];
  /** The hash of its App Key (`hashAppKey`), by which it is found. The check path needs no App Key itself. */
  readonly appKeyHash: string;
  /** What its callers prove with. */
  readonly material: Material;
}

/**
 * A credential for checks. Field by field: rest and spread would give each object a hidden class of its own, which
 * slows every check down.
 */
export function makeCredential(parts: Credential): Credential {
  const { id, consumerId, methods, appKeyHash, material, state, notBefore, expiresAt, allowFrom } = parts;
  return { id, consumerId, methods, appKeyHash, material, state, notBefore, expiresAt, allowFrom };
}
