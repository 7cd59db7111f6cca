import { html } from 'hono/html';
import type { ShownName } from '../../../resources/credential-fields.ts';
import type { AuthenticationMethod } from '../../../model/endpoint.ts';
import { materialFacts, type MaterialKind } from '../../../model/material.ts';
import { materialKindIn, type WrittenCredential } from '../../../resources/credential-material.ts';
import { type Html, url } from '../frame/html.ts';
import type { Shown, Visit } from '../frame/page.ts';
import { consumerTrail } from '../consumers/shown-consumer.ts';
import { claimsText } from '../../../resources/known-by.ts';
import { badge, copyable, time } from '../parts/values.ts';

/** What a credential is worth now, and how that looks. */
const statusTones = {
  active: 'good',
  rotating: 'warning',
  retiring: 'warning',
  'not-yet-valid': 'plain',
  expired: 'bad',
  revoked: 'bad',
} as const;

/** How a credential can stand. */
export const statuses = Object.keys(statusTones) as readonly (keyof typeof statusTones)[];

/** A public key as people tell it from others. */
interface ShownKey {
  readonly type: string;
  readonly bits: number;
  readonly thumbprint: string;
}

/** What identifies a certificate: one of these. */
interface ShownCertificate {
  readonly sha256?: string;
  readonly publicKeySha256?: string;
  readonly uri?: string;
  readonly dns?: string;
}

/** A credential as `GET /v1/credentials` shows it. */
export interface ShownCredential extends Readonly<Partial<Record<Exclude<ShownName, 'allowFrom'>, string>>> {
  readonly allowFrom?: readonly string[];
  readonly id: string;
  readonly consumer: string;
  /** One of the two. */
  readonly method?: AuthenticationMethod;
  readonly methods?: readonly AuthenticationMethod[];
  /** Absent where it is a secret. */
  readonly appKey?: string;
  /** The last characters of one that is a secret. */
  readonly appKeyEnd?: string;
  readonly retiringSecret?: { readonly expiresAt: string };
  readonly publicKey?: object;
  readonly retiringPublicKey?: { readonly expiresAt: string };
  readonly issuer?: string;
  readonly claims?: Readonly<Record<string, string>>;
  readonly certificate?: ShownCertificate;
  /** When the first certificate ends that it stands on. */
  readonly certificateEndsAt?: string;
  /** What the public keys are. */
  readonly key?: ShownKey;
  readonly retiringKey?: ShownKey;
  readonly status: keyof typeof statusTones;
  readonly lastUsedAt?: string;
  readonly retiringSecretLastUsedAt?: string;
  readonly revision: number;
  readonly createdAt: string;
  /** The endpoints that let it in; of one credential only. */
  readonly endpoints?: readonly string[];
}

/** A credential with the secrets that were just made. They are in no other answer. */
export interface IssuedCredential extends Omit<ShownCredential, 'status' | 'createdAt'> {
  readonly appSecret?: string;
}

/** The credential that the path names (`:id`). Throws `ProblemAnswer`. */
export async function readCredential({ api, param }: Visit): Promise<ShownCredential> {
  return await api.get<ShownCredential>(url`/v1/credentials/${param('id')}`);
}

/** The methods that a credential is for. */
export function methodsOf({ method, methods }: Pick<ShownCredential, 'method' | 'methods'>): readonly string[] {
  return methods ?? (method === undefined ? [] : [method]);
}

/** What holds of what a credential proves with. */
export function factsOf(credential: WrittenCredential): (typeof materialFacts)[MaterialKind] {
  return materialFacts[materialKindIn(credential)];
}

/** Whether its partner proves with a private key. */
export function hasPublicKey({ publicKey }: Pick<ShownCredential, 'publicKey'>): boolean {
  return publicKey !== undefined;
}

/** When what a rotation replaced ends; undefined where nothing was. */
export function formerEndOf({
  retiringSecret,
  retiringPublicKey,
}: Pick<ShownCredential, 'retiringSecret' | 'retiringPublicKey'>): string | undefined {
  return (retiringSecret ?? retiringPublicKey)?.expiresAt;
}

/** Rows about the public keys of a credential; none for one without. */
export function keyRows({
  key,
  retiringKey,
}: Pick<ShownCredential, 'key' | 'retiringKey'>): readonly (readonly [string, string | Html])[] {
  const nameOf = ({ type, bits }: ShownKey): string => `${type}, ${String(bits)} bits`;
  return [
    ...(key === undefined
      ? []
      : ([
          ['Public key', nameOf(key)],
          ['Thumbprint', copyable(key.thumbprint, 'the thumbprint', 'thumbprint')],
        ] as const)),
    ...(retiringKey === undefined
      ? []
      : ([['Former public key', html`${nameOf(retiringKey)}, <code>${retiringKey.thumbprint}</code>`]] as const)),
  ];
}

/** Rows about what a credential without an App Key is known by; none for one with an App Key. */
export function knownByRows({
  issuer,
  claims,
  certificate,
  certificateEndsAt,
}: Pick<ShownCredential, 'issuer' | 'claims' | 'certificate' | 'certificateEndsAt'>): readonly (readonly [
  string,
  string | Html,
])[] {
  const { sha256, publicKeySha256, uri, dns } = certificate ?? {};
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['Issuer', issuer],
    ['Claims', claims === undefined ? undefined : claimsText(claims)],
    ['SHA-256 of its certificate', sha256],
    ['SHA-256 of its public key', publicKeySha256],
    ['URI in its certificate', uri],
    ['DNS name in its certificate', dns],
  ];
  return [
    ...rows.flatMap(([name, value]) => (value === undefined ? [] : [[name, html`<code>${value}</code>`] as const])),
    ...(certificateEndsAt === undefined ? [] : [['First certificate to end', time(certificateEndsAt)] as const]),
  ];
}

/** Whether it has no App Key. */
export function isKnownBy(credential: WrittenCredential): boolean {
  return factsOf(credential).appKey === 'derived';
}

/** What a credential is worth now. */
export function statusBadge({ status }: Pick<ShownCredential, 'status'>): Html {
  return badge(status, statusTones[status]);
}

/** Whether a credential can come to work again, and so be rotated or revoked. */
export function isRevoked({ status }: Pick<ShownCredential, 'status'>): boolean {
  return status === 'revoked';
}

/** The way from the list to a credential, for pages below it. */
export function credentialTrail({
  id,
  consumer,
}: Pick<ShownCredential, 'id' | 'consumer'>): NonNullable<Shown['trail']> {
  return [...consumerTrail(consumer), { href: url`/credentials/${id}`, text: id }];
}

/** A link to a credential. */
export function credentialLink(id: string): Html {
  return html`<a href="${url`/credentials/${id}`}">${id}</a>`;
}
