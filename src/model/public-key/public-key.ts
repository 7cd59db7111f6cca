import { createPublicKey, hash, type KeyObject } from 'node:crypto';

/** The kinds of public keys that a credential may have (spec §1). */
export const publicKeyKinds = ['ed25519', 'p-256', 'p-384', 'rsa'] as const;
export type PublicKeyKind = (typeof publicKeyKinds)[number];

/** How people call them. */
const kindNames: Readonly<Record<PublicKeyKind, string>> = {
  ed25519: 'Ed25519',
  'p-256': 'ECDSA P-256',
  'p-384': 'ECDSA P-384',
  rsa: 'RSA',
};

/** A key as RFC 7517 has it, with the members that its thumbprint needs and no others. */
export type PublicJwk =
  | { readonly kty: 'OKP'; readonly crv: 'Ed25519'; readonly x: string }
  | { readonly kty: 'EC'; readonly crv: 'P-256' | 'P-384'; readonly x: string; readonly y: string }
  | { readonly kty: 'RSA'; readonly n: string; readonly e: string };

/** What a {@link PublicKey} is made of: plain values, for another thread. */
export interface PublicKeyParts {
  readonly kind: PublicKeyKind;
  readonly jwk: PublicJwk;
  readonly bits: number;
}

/**
 * A key that a partner signs with. It is no secret. Only `readJwk` makes one of what people give; it is right then, and
 * stays so.
 */
export class PublicKey {
  readonly kind: PublicKeyKind;
  readonly jwk: PublicJwk;
  /** Of the curve, or of an RSA modulus. */
  readonly bits: number;
  #object: KeyObject | null;

  constructor(kind: PublicKeyKind, jwk: PublicJwk, bits: number, object: KeyObject | null = null) {
    this.kind = kind;
    this.jwk = jwk;
    this.bits = bits;
    this.#object = object;
  }

  /** The key of the parts of one that was found right before. */
  static fromParts({ kind, jwk, bits }: PublicKeyParts): PublicKey {
    return new PublicKey(kind, jwk, bits);
  }

  get parts(): PublicKeyParts {
    return { kind: this.kind, jwk: this.jwk, bits: this.bits };
  }

  /** What signatures are verified with: imported once, at the first use. */
  get object(): KeyObject {
    return (this.#object ??= createPublicKey({ key: this.jwk, format: 'jwk' }));
  }

  /** How long its signatures are: r and s, 64 bytes of Ed25519, or as the modulus of RSA (RFC 8017 §8.1.2). */
  get signatureBytes(): number {
    return this.kind === 'rsa' ? Math.ceil(this.bits / 8) : this.bits / 4;
  }

  /** The thumbprint of RFC 7638 with SHA-256: 43 base64url characters. */
  get thumbprint(): string {
    return hash('sha256', thumbprintInput(this.jwk), 'base64url');
  }

  /** How people call its kind: `RSA`. */
  get type(): string {
    return kindNames[this.kind];
  }

  /** Kind and size, for people: `RSA, 2048 bits`. */
  get description(): string {
    return `${this.type}, ${String(this.bits)} bits`;
  }

  /** Whether it is the same key, whatever it was read from. */
  equals(other: PublicKey): boolean {
    return thumbprintInput(this.jwk) === thumbprintInput(other.jwk);
  }
}

/** The required members in the order of their names, without white space (RFC 7638 §3). */
function thumbprintInput(jwk: PublicJwk): string {
  switch (jwk.kty) {
    case 'OKP':
      return JSON.stringify({ crv: jwk.crv, kty: jwk.kty, x: jwk.x });
    case 'EC':
      return JSON.stringify({ crv: jwk.crv, kty: jwk.kty, x: jwk.x, y: jwk.y });
    case 'RSA':
      return JSON.stringify({ e: jwk.e, kty: jwk.kty, n: jwk.n });
  }
}
