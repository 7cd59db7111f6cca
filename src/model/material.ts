import type { AuthenticationMethod } from './endpoint.ts';
import type { CertificateIdentity } from './certificate-identity.ts';
import { certificateAppKey, claimsAppKey, sortClaims } from './derived-app-key.ts';
import type { PublicKey } from './public-key/public-key.ts';
import type { Secret } from './secret.ts';

/** The former App Secret, which works until `expiresAt` (seconds since the epoch) while partners change over. */
export interface RetiringSecret<S = Secret> {
  readonly appSecret: S;
  readonly expiresAt: number;
}

/** A secret that the partner and the gateway share, and during a rotation the former one. */
export interface SharedSecret<S = Secret> {
  readonly kind: 'shared-secret';
  readonly appSecret: S;
  readonly retiringSecret: RetiringSecret<S> | null;
}

/** The former public key, which works until `expiresAt` (seconds since the epoch) while partners change over. */
export interface RetiringPublicKey {
  readonly publicKey: PublicKey;
  readonly expiresAt: number;
}

/** A key whose private half only the partner has, and during a rotation the former one. Nothing of it is a secret. */
export interface PublicKeyMaterial {
  readonly kind: 'public-key';
  readonly publicKey: PublicKey;
  readonly retiringPublicKey: RetiringPublicKey | null;
}

/** The claims of one issuer's tokens that are the consumer. Nothing of it is a secret. */
export interface TokenClaimsMaterial {
  readonly kind: 'token-claims';
  readonly issuerId: string;
  /** Sorted by name; all of them must be in a token, as texts, for it to be the consumer's. */
  readonly claims: Readonly<Record<string, string>>;
}

/** What identifies the certificate that the consumer calls with. Nothing of it is a secret. */
export interface CertificateMaterial {
  readonly kind: 'certificate';
  readonly identity: CertificateIdentity;
}

/**
 * What a credential proves with (spec §1): its App Key, which then is the secret, a secret beside it, a private key
 * that the gateway never sees, or what others vouch for: tokens of an issuer, or a certificate.
 *
 * `S` is the form of each secret: {@link Secret} as callers use it, sealed in a database, null where a document leaves
 * secrets out. Built when a credential is read, never by a check.
 */
export type Material<S = Secret> =
  | { readonly kind: 'app-key' }
  | SharedSecret<S>
  | PublicKeyMaterial
  | TokenClaimsMaterial
  | CertificateMaterial;
/** The name of what a credential proves with. */
export type MaterialKind = Material['kind'];

/** The material of every credential whose App Key is the secret: it has nothing of its own. */
export const appKeyMaterial = { kind: 'app-key' } as const;

/** A shared secret, always of one hidden class. */
export function sharedSecret<S>(appSecret: S, retiringSecret: RetiringSecret<S> | null = null): SharedSecret<S> {
  return { kind: 'shared-secret', appSecret, retiringSecret };
}

/** A public key, always of one hidden class. */
export function publicKeyMaterial(
  publicKey: PublicKey,
  retiringPublicKey: RetiringPublicKey | null = null,
): PublicKeyMaterial {
  return { kind: 'public-key', publicKey, retiringPublicKey };
}

/** Claims of an issuer's tokens, sorted by name. */
export function tokenClaimsMaterial(issuerId: string, claims: Readonly<Record<string, string>>): TokenClaimsMaterial {
  return { kind: 'token-claims', issuerId, claims: sortClaims(claims) };
}

/** What identifies a certificate, always of one hidden class. */
export function certificateMaterial(identity: CertificateIdentity): CertificateMaterial {
  return { kind: 'certificate', identity };
}

/** The public key, then a retiring one that still works; null for a material of another kind. */
export function publicKeysOf(material: Material<unknown>, nowSeconds: number): readonly PublicKey[] | null {
  if (material.kind !== 'public-key') return null;
  const { publicKey: current, retiringPublicKey: former } = material;
  return former !== null && nowSeconds < former.expiresAt ? [current, former.publicKey] : [current];
}

/** Whether an operator can call with a credential: not with what only its partner has. */
export function canBeTried({ kind }: Material): boolean {
  return kind === 'app-key' || kind === 'shared-secret';
}

/** What holds of a kind of material as a whole. */
interface MaterialFacts {
  /**
   * A secret App Key is sealed, shown once, and may be kept as a hash only. A derived one follows from the material
   * ({@link derivedAppKeyOf}): nobody gives, sends or sees it, and no store keeps it but as its hash.
   */
  readonly appKey: 'secret' | 'public' | 'derived';
  /** What the partner keeps to itself, as operators call it. */
  readonly secret: string;
  /** What a rotation replaces, as operators call it. */
  readonly rotated: string;
  /** Whether a new credential gets an App Secret beside its App Key. */
  readonly hasAppSecret: boolean;
  /** What a rotation does, for people. */
  readonly rotation: string;
}

/** The facts of every kind. A kind without them does not compile. */
export const materialFacts = {
  'app-key': {
    appKey: 'secret',
    secret: 'App Key',
    rotated: 'credential',
    hasAppSecret: false,
    rotation: 'The App Key is the secret: a second credential is issued, and this one retires.',
  },
  'shared-secret': {
    appKey: 'public',
    secret: 'App Secret',
    rotated: 'App Secret',
    hasAppSecret: true,
    rotation: 'The App Key stays, and the App Secret is new. The former one works until the grace period ends.',
  },
  'public-key': {
    appKey: 'public',
    secret: 'private key',
    rotated: 'public key',
    hasAppSecret: false,
    rotation: 'The App Key stays. The partner makes the new key; the former one works until the grace period ends.',
  },
  'token-claims': {
    appKey: 'derived',
    secret: 'token',
    rotated: 'credential',
    hasAppSecret: false,
    rotation: 'A second credential is issued with the new claims, and this one retires.',
  },
  certificate: {
    appKey: 'derived',
    secret: 'private key of the certificate',
    rotated: 'credential',
    hasAppSecret: false,
    rotation: 'A second credential is issued for the new certificate, and this one retires.',
  },
} as const satisfies Readonly<Record<MaterialKind, MaterialFacts>>;

/**
 * What callers of each method can prove with. With `key` alone the App Key is the secret; shared with other methods, as
 * some gateways do, it has the App Secret of those beside it (spec §1).
 */
const kindsOf = {
  key: ['app-key', 'shared-secret'],
  hmac: ['shared-secret'],
  'parameter-signature': ['shared-secret'],
  'http-message-signature': ['public-key'],
  oauth2: ['shared-secret', 'public-key'],
  jwt: ['token-claims'],
  certificate: ['certificate'],
} as const satisfies Readonly<Record<AuthenticationMethod, readonly MaterialKind[]>>;

/** Whether callers of a method can prove with this. */
export function takesMaterial(method: AuthenticationMethod, kind: MaterialKind): boolean {
  const kinds: readonly MaterialKind[] = kindsOf[method];
  return kinds.includes(kind);
}

/**
 * What a credential for these methods proves with unless it has a public key: that of a method that takes nothing else.
 */
export function materialKindOf(methods: readonly AuthenticationMethod[]): MaterialKind {
  for (const method of methods) {
    const [only, ...others] = kindsOf[method];
    if (others.length === 0 && only !== 'shared-secret') return only;
  }
  return methods.every((method) => method === 'key') ? 'app-key' : 'shared-secret';
}

/** Where a secret stands in a declared or stored credential. */
export type SecretPath = 'appSecret' | 'retiringSecret.appSecret';

/** The same material with each of its secrets in another form. */
export function mapSecrets<S, T>(material: Material<S>, change: (secret: S, path: SecretPath) => T): Material<T> {
  switch (material.kind) {
    case 'app-key':
      return appKeyMaterial;
    case 'public-key':
    case 'token-claims':
    case 'certificate':
      return material;
    case 'shared-secret': {
      const { appSecret, retiringSecret: former } = material;
      const current = change(appSecret, 'appSecret');
      if (former === null) return sharedSecret(current);
      const changed = change(former.appSecret, 'retiringSecret.appSecret');
      return sharedSecret(current, { appSecret: changed, expiresAt: former.expiresAt });
    }
  }
}

/** The secrets of a material by their paths, the current one first. */
export function secretsIn<S>(material: Material<S>): ReadonlyMap<SecretPath, S> {
  const found = new Map<SecretPath, S>();
  mapSecrets(material, (secret, path) => found.set(path, secret));
  return found;
}

/** The App Secret; null for a material without one. */
export function appSecretOf<S>(material: Material<S>): S | null {
  switch (material.kind) {
    case 'app-key':
    case 'public-key':
    case 'token-claims':
    case 'certificate':
      return null;
    case 'shared-secret':
      return material.appSecret;
  }
}

/** The former App Secret, whether it works or not; null where there is none. */
export function formerSecretOf<S>(material: Material<S>): S | null {
  switch (material.kind) {
    case 'app-key':
    case 'public-key':
    case 'token-claims':
    case 'certificate':
      return null;
    case 'shared-secret':
      return material.retiringSecret?.appSecret ?? null;
  }
}

/** A material that lacks no secret; null when it lacks one. */
export function wholeMaterial(material: Material<Secret | null>): Material | null {
  const isWhole = [...secretsIn(material).values()].every((secret) => secret !== null);
  return isWhole ? mapSecrets(material, (secret) => secret as Secret) : null;
}

/** When what a rotation replaced ends, in seconds since the epoch; null when nothing was. */
export function formerEndOf(material: Material<unknown>): number | null {
  switch (material.kind) {
    case 'app-key':
    case 'token-claims':
    case 'certificate':
      return null;
    case 'shared-secret':
      return material.retiringSecret?.expiresAt ?? null;
    case 'public-key':
      return material.retiringPublicKey?.expiresAt ?? null;
  }
}

/** The same material without what a rotation replaced. */
export function withoutFormer<S>(material: Material<S>): Material<S> {
  switch (material.kind) {
    case 'app-key':
    case 'token-claims':
    case 'certificate':
      return material;
    case 'shared-secret':
      return material.retiringSecret === null ? material : sharedSecret(material.appSecret);
    case 'public-key':
      return material.retiringPublicKey === null ? material : publicKeyMaterial(material.publicKey);
  }
}

/** The App Key that follows from a material; null for a kind whose App Key is given or generated. */
export function derivedAppKeyOf(material: Material<unknown>): string | null {
  switch (material.kind) {
    case 'app-key':
    case 'shared-secret':
    case 'public-key':
      return null;
    case 'token-claims':
      return claimsAppKey(material.issuerId, material.claims);
    case 'certificate': {
      const { identity } = material;
      return certificateAppKey(identity.by, 'sha256' in identity ? identity.sha256 : identity.name);
    }
  }
}
