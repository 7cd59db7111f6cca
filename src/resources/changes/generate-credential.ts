import { randomBytes } from 'node:crypto';
import { hashAppKey } from '../../model/app-key.ts';
import { materialFacts, type MaterialKind } from '../../model/material.ts';
import { Secret } from '../../model/secret.ts';

/** 128 bits, 32 hex characters. */
const APP_KEY_BYTES = 16;

/** 256 bits, 43 base64url characters. */
const APP_SECRET_BYTES = 32;

/** What a partner gets. Both are wrapped: an App Key is the secret itself for method `key`. */
export interface GeneratedPair {
  readonly appKey: Secret;
  /** `hashAppKey` of the App Key. */
  readonly appKeyHash: string;
  /** Null where the material has none. */
  readonly appSecret: Secret | null;
}

/** A new App Key and, for a material that has one, a new App Secret, both from the system's random source (spec §1). */
export function generatePair(kind: MaterialKind): GeneratedPair {
  const appKey = generateAppKey();
  const appSecret = materialFacts[kind].hasAppSecret ? generateAppSecret() : null;
  return { appKey, appKeyHash: hashOfAppKey(appKey), appSecret };
}

/** A new App Key: 32 lower-case hex characters. */
export function generateAppKey(): Secret {
  return Secret.fromText(randomBytes(APP_KEY_BYTES).toString('hex'));
}

/** A new App Secret: 43 base64url characters. */
export function generateAppSecret(): Secret {
  return Secret.fromText(randomBytes(APP_SECRET_BYTES).toString('base64url'));
}

/** The hash by which a wrapped App Key is found. */
export function hashOfAppKey(appKey: Secret): string {
  return hashAppKey(textOf(appKey));
}

/** An App Key or App Secret as a partner gets it. Throws for a stored one that was not opened. */
export function textOf(secret: Secret): string {
  return secret.reveal().toString('utf8');
}

/** 32 bits: ids differ by them within a consumer and a method. */
const SUFFIX_BYTES = 4;

/** Longest part of a consumer's id that leaves room for method and suffix within the 63 characters of an id. */
const MAX_PREFIX = 30;

/**
 * An id for a new credential, such as `acme-hmac-3f9a1c02`. It never comes back after a deletion, so that what names a
 * deleted credential, an access token for example, cannot pass to another one.
 */
export function generateCredentialId(consumerId: string, method: string): string {
  return credentialIdWith(consumerId, method, generateIdSuffix());
}

/** What is random in the id of a new credential: 8 lower-case hex characters. */
export function generateIdSuffix(): string {
  return randomBytes(SUFFIX_BYTES).toString('hex');
}

/** The id of a new credential with a suffix of {@link generateIdSuffix}. */
export function credentialIdWith(consumerId: string, method: string, suffix: string): string {
  return `${consumerId.slice(0, MAX_PREFIX)}-${method}-${suffix}`;
}
