import { createHash } from 'node:crypto';

/** Enough to tell the states of one file apart, and too little to guess a secret in it. */
export const REVISION_DIGITS = 12;

/**
 * What stands for the content of a declarative file: the first digits of the SHA-256 of its text, as `sha256sum` has.
 */
export function fileRevision(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, REVISION_DIGITS);
}
