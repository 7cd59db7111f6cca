import { isLive } from '../../base/clock.ts';
import { certificateEndsOf, firstCertificateEndOf, hasCertificateEnded } from '../../model/certificate-ends.ts';
import { endingsOf, isInUse } from '../../model/ending.ts';
import { formerEndOf, type Material } from '../../model/material.ts';
import { endOfAppKey } from '../app-key-end.ts';
import { describeKey } from '../public-key-fields.ts';
import { declareVersion } from '../declare-resource.ts';
import { endsOf } from '../endings.ts';
import { type Declared, declareTime } from '../declared.ts';
import type { ManagedCredential, Stored } from '../resource.ts';
import { pagesOf, type Usage, type UsageSource } from './resource-store.ts';

/** A credential as operators see it: with when it was used. */
export interface ShownCredential {
  readonly stored: Stored<ManagedCredential>;
  /** Null for never. */
  readonly usage: Usage | null;
}

/** Credentials whose use is asked for at once. */
const PAGE = 500;

/** Adds to credentials when they were used. */
export async function* readShownCredentials(
  credentials: AsyncIterable<Stored<ManagedCredential>>,
  source: UsageSource,
): AsyncGenerator<ShownCredential, void, undefined> {
  for await (const page of pagesOf(credentials, PAGE)) {
    const usage = await source.usageOf(page.map(({ resource }) => resource.id));
    for (const stored of page) yield { stored, usage: usage.get(stored.resource.id) ?? null };
  }
}

/** For programs: when a credential was used, the end of its App Key, what its public keys are, and its version. */
export function declareUse({ stored, usage }: ShownCredential): Declared {
  const { lastUsedAt = null, retiringSecretLastUsedAt = null } = usage ?? {};
  const appKeyEnd = endOfAppKey(stored.resource);
  return {
    ...(appKeyEnd === null ? {} : { appKeyEnd }),
    ...declareKeys(stored.resource.material),
    ...(lastUsedAt === null ? {} : { lastUsedAt: declareTime(lastUsedAt) }),
    ...(retiringSecretLastUsedAt === null ? {} : { retiringSecretLastUsedAt: declareTime(retiringSecretLastUsedAt) }),
    ...declareVersion(stored),
  };
}

/**
 * What people tell public keys by, kind, size and thumbprint, and when the first certificate ends that a credential
 * stands on; nothing for other materials.
 */
export function declareKeys(material: Material): Declared {
  const end = firstCertificateEndOf(material);
  if (end !== null) return { certificateEndsAt: declareTime(end) };
  if (material.kind !== 'public-key') return {};
  const { publicKey, retiringPublicKey: former } = material;
  return {
    key: describeKey(publicKey),
    ...(former === null ? {} : { retiringKey: describeKey(former.publicKey) }),
  };
}

/** What a credential is worth at a time. `rotating`: its former App Secret works too. */
export const shownStates = ['active', 'rotating', 'retiring', 'not-yet-valid', 'expired', 'revoked'] as const;
export type ShownState = (typeof shownStates)[number];

/** What a credential is worth now. */
export function stateAt({ state, notBefore, expiresAt, material }: ManagedCredential, nowSeconds: number): ShownState {
  if (state === 'revoked') return 'revoked';
  if (expiresAt !== null && expiresAt <= nowSeconds) return 'expired';
  if (hasCertificateEnded(material, nowSeconds)) return 'expired';
  if (notBefore !== null && nowSeconds < notBefore) return 'not-yet-valid';
  if (state === 'retiring') return 'retiring';
  const formerEnd = formerEndOf(material);
  return formerEnd !== null && nowSeconds < formerEnd ? 'rotating' : 'active';
}

/**
 * Whether a credential works now and, so many seconds from now, no longer does, or has lost a certificate that it
 * stands on.
 */
export function endsWithin(credential: ManagedCredential, seconds: number, nowSeconds: number): boolean {
  const { expiresAt, material } = credential;
  const ends = [expiresAt ?? Infinity, ...certificateEndsOf(material).filter((end) => end >= nowSeconds)];
  return Math.min(...ends) <= nowSeconds + seconds && works(credential, nowSeconds);
}

/** Whether a credential works now, has been there for so many seconds, and was not used within them. */
export function isUnusedFor({ stored, usage }: ShownCredential, seconds: number, nowSeconds: number): boolean {
  const since = Math.max(stored.createdAt, stored.resource.notBefore ?? 0, usage?.lastUsedAt ?? 0);
  return since <= nowSeconds - seconds && works(stored.resource, nowSeconds);
}

/** Whether a former App Secret, or a credential that a rotation retired, works now and partners still use it. */
export function isFormerInUse({ stored: { resource }, usage }: ShownCredential, nowSeconds: number): boolean {
  const endings = endingsOf({ ...resource, ...endsOf(resource.material) });
  return endings.some(
    (ending) =>
      (ending.kind === 'former-secret' || ending.kind === 'retiring-credential') &&
      isLive(ending, nowSeconds) &&
      isInUse(ending.kind, usage, nowSeconds) === true,
  );
}

function works(credential: ManagedCredential, nowSeconds: number): boolean {
  return !['revoked', 'expired', 'not-yet-valid'].includes(stateAt(credential, nowSeconds));
}
