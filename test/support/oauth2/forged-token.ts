import { createHmac, type KeyObject } from 'node:crypto';
import { testKeyRing } from '../keyring/test-key-ring.ts';

/** The issuer of tokens in tests. */
export const ISSUER = 'http://127.0.0.1:10000';

/** A token taken apart: what its segments say. */
export interface TokenParts {
  readonly header: string;
  readonly payload: string;
  readonly signature: string;
}

/** Takes a token apart without verifying it. */
export function partsOf(text: string): TokenParts {
  const [header = '', payload = '', signature = ''] = text.split('.');
  return { header, payload, signature };
}

/** The object that a segment holds. */
export function decodeSegment(segment: string): Readonly<Record<string, unknown>> {
  return JSON.parse(Buffer.from(segment, 'base64url').toString('utf8')) as Record<string, unknown>;
}

/** A segment with this text or object in it. */
export function encodeSegment(content: Uint8Array | string | Readonly<Record<string, unknown>>): string {
  if (content instanceof Uint8Array) return Buffer.from(content).toString('base64url');
  return Buffer.from(typeof content === 'string' ? content : JSON.stringify(content), 'utf8').toString('base64url');
}

/** The key that tokens are signed with, derived from a test key as any holder of the ring could. */
export function tokenKey(number = 1): KeyObject {
  return testKeyRing(number).derive(`test-key-${String(number)}`, 'oauth2-token-v1', 32);
}

/** Signs segments with the right key, whatever they say. */
export function signSegments(
  header: string,
  payload: string,
  key: KeyObject | string = tokenKey(),
  hash = 'sha256',
): string {
  const signed = `${header}.${payload}`;
  return `${signed}.${createHmac(hash, key).update(signed).digest('base64url')}`;
}
