import { hash } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { LastUsed } from '../../base/last-used.ts';
import { RandomIds } from '../../base/random-ids.ts';
import { equal } from '../../base/text/equal.ts';
import { decodeClaims, encodeClaims, type TokenClaims } from './token-claims.ts';
import { type TokenKeys, TokenKeySource, type TokenRing } from './token-keys.ts';

/** A token works for at most an hour (spec §3.4). */
export const MAX_LIFETIME_SECONDS = 3600;

/** Longer texts are no tokens of ours: with the longest App Key, ids and issuer one has about 2500. */
export const MAX_TOKEN_CHARACTERS = 4096;

/** How far the clock of the replica that issued a token may be ahead of ours. */
const MAX_CLOCK_AHEAD_SECONDS = 60;

/** 128 random bits: no two tokens share one, and none can be guessed. */
const TOKEN_ID_BYTES = 16;

/** Kept at least, twice as many at most, see {@link LastUsed}; each takes about 1 KiB. */
export const REMEMBERED_ACCESS_TOKENS = 10_000;

/** For whom a token is issued. */
export interface TokenSubject {
  readonly clientId: string;
  readonly consumerId: string;
  readonly credentialId: string;
  /** When the credential ends; null when it does not. It must not have ended yet. */
  readonly expiresAt: number | null;
  /** The client certificate that the token is bound to, as in {@link TokenClaims}; absent for none. */
  readonly certificate?: string | null;
}

/** A new token. */
export interface IssuedToken {
  readonly text: string;
  readonly expiresInSeconds: number;
}

/** Why a token does not work, for the log, apart from what is wrong with its credential. */
export const tokenFaults = {
  tooLong: 'the token is too long',
  expired: 'the token has expired',
  notYetValid: 'the token is not valid yet',
  header: 'the token has no header that is issued here, or its key was removed',
  signature: 'the signature of the token is wrong',
  claims: 'the claims of the token are not written as they are here',
  otherCertificate: 'the token works only with the client certificate that it was issued for',
  otherIssuer: 'the token was issued for another public URL',
  otherCredential: 'the App Key of the token belongs to another credential now',
  revoked: 'the token was revoked by its client',
} as const;

/** Why a text is no token that is good now, for the log. */
export interface TokenFault {
  readonly fault: string;
}

/** What {@link AccessTokens} needs. */
export interface AccessTokenPorts {
  /** See `issuerOf`. */
  readonly issuer: string;
  /** The key ring now; called for every use, so that a rotation counts at once. */
  readonly ring: () => TokenRing;
  readonly clock: Clock;
  readonly remembered?: number;
}

/**
 * Issues access tokens and verifies them without any request (spec §3.4): `at+jwt` (RFC 9068) by HS256 (RFC 7518
 * §3.2) with keys of the key ring. Every token has one text: its header must be, letter for letter, that of a key of
 * the ring, so no algorithm, type or key of the sender's choice is ever looked at (RFC 8725 §3.1, §3.11), and signature
 * and claims are compared as they would be written here.
 */
export class AccessTokens {
  readonly #issuer: string;
  readonly #clock: Clock;
  readonly #source: TokenKeySource;
  readonly #tokenIds = new RandomIds(TOKEN_ID_BYTES);
  /** Claims of tokens whose signature was right, by the SHA-256 of the token, for {@link #rememberedKeys} only. */
  readonly #remembered: LastUsed<TokenClaims>;
  #rememberedKeys: TokenKeys | null = null;

  constructor({ issuer, ring, clock, remembered = REMEMBERED_ACCESS_TOKENS }: AccessTokenPorts) {
    this.#issuer = issuer;
    this.#clock = clock;
    this.#source = new TokenKeySource(ring);
    this.#remembered = new LastUsed(remembered);
  }

  /** Issues a token that ends with its credential, and in an hour at the latest. */
  issue({ clientId, consumerId, credentialId, expiresAt, certificate = null }: TokenSubject): IssuedToken {
    const nowSeconds = this.#clock.nowSeconds();
    const end = Math.min(nowSeconds + MAX_LIFETIME_SECONDS, expiresAt ?? Infinity);
    const claims: TokenClaims = {
      issuer: this.#issuer,
      clientId,
      consumerId,
      credentialId,
      issuedAt: nowSeconds,
      expiresAt: end,
      tokenId: this.#tokenIds.next(),
      certificate,
    };
    const key = this.#source.keys(nowSeconds).signing(nowSeconds);
    const signed = `${key.header}.${encodeClaims(claims)}`;
    return { text: `${signed}.${key.sign(signed)}`, expiresInSeconds: end - nowSeconds };
  }

  /** The claims of a token that was issued here and has not expired. Whether it was revoked is not known here. */
  verify(text: string): TokenClaims | TokenFault {
    if (text.length > MAX_TOKEN_CHARACTERS) return { fault: tokenFaults.tooLong };
    const nowSeconds = this.#clock.nowSeconds();
    const claims = this.#verifySignature(text, this.#source.keys(nowSeconds));
    if ('fault' in claims) return claims;
    if (nowSeconds >= claims.expiresAt) return { fault: tokenFaults.expired };
    if (claims.issuedAt > nowSeconds + MAX_CLOCK_AHEAD_SECONDS) return { fault: tokenFaults.notYetValid };
    return claims;
  }

  #verifySignature(text: string, keys: TokenKeys): TokenClaims | TokenFault {
    if (keys !== this.#rememberedKeys) {
      this.#remembered.clear();
      this.#rememberedKeys = keys;
    }
    const digest = hash('sha256', text, 'base64');
    const known = this.#remembered.get(digest);
    if (known !== undefined) return known;
    const claims = this.#read(text, keys);
    if (!('fault' in claims)) this.#remembered.set(digest, claims);
    return claims;
  }

  /** Looks at claims only when the signature is right. */
  #read(text: string, keys: TokenKeys): TokenClaims | TokenFault {
    const headerEnd = text.indexOf('.');
    const macStart = text.lastIndexOf('.') + 1;
    const key = keys.byHeader.get(text.slice(0, Math.max(0, headerEnd)));
    if (key === undefined) return { fault: tokenFaults.header };
    const expected = key.sign(text.slice(0, Math.max(0, macStart - 1)));
    if (!equal(Buffer.from(text.slice(macStart), 'utf8'), Buffer.from(expected, 'latin1'))) {
      return { fault: tokenFaults.signature };
    }
    const claims = decodeClaims(text.slice(headerEnd + 1, macStart - 1));
    if (claims === null) return { fault: tokenFaults.claims };
    if (claims.issuer !== this.#issuer) return { fault: tokenFaults.otherIssuer };
    return claims;
  }
}
