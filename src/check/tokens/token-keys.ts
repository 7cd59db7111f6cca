import type { KeyObject } from 'node:crypto';
import { hmacOf, hmacSha256, type MacEncodings } from '../signing/hmac.ts';
import { encodeJson } from './token-claims.ts';

/** What the keys of tokens are derived for; sealing and other purposes get keys that have nothing to do with them. */
const PURPOSE = 'oauth2-token-v1';
const KEY_BYTES = 32;

/**
 * How long a key must be in the ring before it signs, in seconds: by then every replica that follows the same file
 * verifies with it. Keys that are there at start sign at once, and so do keys that were staged.
 */
const SETTLING_SECONDS = 10;

/** A ring as far as tokens need it. */
export interface TokenRing {
  readonly currentKeyId: string;
  readonly keyIds: readonly string[];
  /** A key for one purpose: always the same for the same three. */
  derive(keyId: string, purpose: string, bytes: number): KeyObject;
}

/** A key of tokens, with the header segment that every token signed with it begins with. */
export interface TokenKey {
  readonly keyId: string;
  readonly header: string;
  /** The signature segment for the two others: HS256 (RFC 7518 §3.2). */
  readonly sign: (text: string) => string;
}

/** The keys of one state of the ring; never changed. */
export interface TokenKeys {
  /** Every key of the ring verifies, found by the whole header segment. */
  readonly byHeader: ReadonlyMap<string, TokenKey>;
  /** The key that signs at this second. */
  signing(nowSeconds: number): TokenKey;
}

/** Keeps {@link TokenKeys} in step with a ring that may be rotated at any time. */
export class TokenKeySource {
  readonly #findRing: () => TokenRing;
  #ring: TokenRing | null = null;
  #keys: TokenKeys | null = null;
  /** When each key was first seen, in seconds since the epoch. */
  #seenAt: ReadonlyMap<string, number> = new Map();

  constructor(findRing: () => TokenRing) {
    this.#findRing = findRing;
  }

  /** The keys now: the same object for as long as the ring stays the same. */
  keys(nowSeconds: number): TokenKeys {
    const ring = this.#findRing();
    if (this.#keys !== null && ring === this.#ring) return this.#keys;
    const former = this.#keys?.signing(nowSeconds).keyId ?? null;
    const firstSeen = this.#keys === null ? -Infinity : nowSeconds;
    this.#seenAt = new Map(ring.keyIds.map((id) => [id, this.#seenAt.get(id) ?? firstSeen]));
    this.#ring = ring;
    this.#keys = deriveKeys(ring, former, (this.#seenAt.get(ring.currentKeyId) ?? firstSeen) + SETTLING_SECONDS);
    return this.#keys;
  }
}

/** @param currentFrom when the ring's current key begins to sign; until then a former key that the ring has does. */
function deriveKeys(ring: TokenRing, formerKeyId: string | null, currentFrom: number): TokenKeys {
  const keys = ring.keyIds.map(
    (keyId): TokenKey => ({
      keyId,
      header: encodeJson({ alg: 'HS256', typ: 'at+jwt', kid: keyId }),
      sign: signWith(ring.derive(keyId, PURPOSE, KEY_BYTES)),
    }),
  );
  const current = keys.find(({ keyId }) => keyId === ring.currentKeyId);
  if (current === undefined) throw new Error('the current key of the ring is not one of its keys');
  const former = keys.find(({ keyId }) => keyId === formerKeyId) ?? current;
  return {
    byHeader: new Map(keys.map((key) => [key.header, key])),
    signing: (nowSeconds) => (nowSeconds < currentFrom ? former : current),
  };
}

const encodings: MacEncodings = { text: 'utf8', mac: 'base64url' };

function signWith(key: KeyObject): (text: string) => string {
  const padded = hmacSha256.pad(key.export());
  return (text) => hmacOf(hmacSha256, padded, text, encodings);
}
