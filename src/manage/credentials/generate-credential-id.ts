import { randomBytes } from 'node:crypto';

/** 32 bits: ids differ by them within a consumer and a method. */
const SUFFIX_BYTES = 4;

/** Longest part of a consumer's id that leaves room for method and suffix within the 63 characters of an id. */
const MAX_PREFIX = 30;

/**
 * An id for a new credential, such as `acme-hmac-3f9a1c02`. It never comes back after a deletion, so that what names a
 * deleted credential, an access token for example, cannot pass to another one.
 */
export function generateCredentialId(consumerId: string, method: string): string {
  return `${consumerId.slice(0, MAX_PREFIX)}-${method}-${randomBytes(SUFFIX_BYTES).toString('hex')}`;
}
