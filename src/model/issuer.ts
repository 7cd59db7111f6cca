import { type JwtAlgorithm, jwtAlgorithms, keyKindOf } from './jwt-algorithms.ts';
import type { Labels } from './labels.ts';
import type { PublicKey } from './public-key/public-key.ts';

/** A key that an issuer signs tokens with. */
export interface IssuerKey {
  /** What tokens name it by; null where its set names none. */
  readonly kid: string | null;
  /** The one algorithm that it is for; null for all of its kind. */
  readonly alg: JwtAlgorithm | null;
  readonly publicKey: PublicKey;
}

/** Where the keys of an issuer are: 1 to `MAX_ISSUER_KEYS` of its own, or at an `https` address. */
export type IssuerKeys =
  | { readonly kind: 'jwks'; readonly keys: readonly IssuerKey[] }
  | { readonly kind: 'uri'; readonly jwksUri: string };

/** What a claim of a token has to be: a text, or one of several. */
export type RequiredClaims = Readonly<Record<string, string | readonly string[]>>;

/** Somebody else whose tokens stand for consumers (spec §1). */
export interface Issuer {
  /** `^[a-z0-9][a-z0-9-]{0,62}$` */
  readonly id: string;
  readonly description: string;
  readonly labels: Labels;
  /** The claim `iss` of its tokens, to the byte. No two issuers have the same. */
  readonly issuer: string;
  readonly keys: IssuerKeys;
  /** At least one: a token is for one of them, by its claim `aud`. */
  readonly audiences: readonly string[];
  /** At least one, in the order of {@link jwtAlgorithms}. */
  readonly algorithms: readonly JwtAlgorithm[];
  /** How far the clocks of issuer and service may differ. */
  readonly clockSkewSeconds: number;
  readonly requiredClaims: RequiredClaims;
  /** Tokens of a disabled issuer are refused like those of an unknown one. */
  readonly enabled: boolean;
}

/** What an issuer is of which no more is said than what it needs. */
export const issuerDefaults = {
  description: '',
  labels: {},
  algorithms: jwtAlgorithms,
  clockSkewSeconds: 60,
  requiredClaims: {},
  enabled: true,
} as const satisfies Partial<Issuer>;

/** An issuer as checks ask it. */
export interface CompiledIssuer
  extends Pick<Issuer, 'id' | 'issuer' | 'keys' | 'audiences' | 'algorithms' | 'clockSkewSeconds' | 'requiredClaims'> {
  /**
   * The names of the claims that its credentials have, in order: each set once, `MAX_CLAIM_NAMES_OF_ISSUER` at most.
   * Empty while no credential names the issuer.
   */
  readonly claimNames: readonly (readonly string[])[];
}

/** Made ready for checks. */
export function compiledIssuer(issuer: Issuer, claimNames: CompiledIssuer['claimNames']): CompiledIssuer {
  const { id, issuer: iss, keys, audiences, algorithms, clockSkewSeconds, requiredClaims } = issuer;
  return { id, issuer: iss, keys, audiences, algorithms, clockSkewSeconds, requiredClaims, claimNames };
}

/** Whether a key may verify tokens of an algorithm: by its kind, and by its own `alg` where it has one. */
export function isKeyFor({ alg, publicKey }: IssuerKey, algorithm: JwtAlgorithm): boolean {
  return publicKey.kind === keyKindOf(algorithm) && (alg === null || alg === algorithm);
}

/**
 * The first required claim that a token lacks; null when it has all. A claim is met by the same text, or by a list that
 * holds it.
 */
export function findUnmetClaim(required: RequiredClaims, claims: Readonly<Record<string, unknown>>): string | null {
  for (const [name, allowed] of Object.entries(required)) {
    const found = Object.hasOwn(claims, name) ? claims[name] : undefined;
    const held: readonly unknown[] = Array.isArray(found) ? found : [found];
    const taken: readonly unknown[] = typeof allowed === 'string' ? [allowed] : allowed;
    if (!held.some((each) => taken.includes(each))) return name;
  }
  return null;
}
