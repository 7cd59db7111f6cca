import { declareWholeCredential } from '../../resources/credential.ts';
import { type Declared, declareTime } from '../../resources/declared.ts';
import { textOf } from '../../manage/generate-credential.ts';
import type { Paint } from '../../manage/render-change.ts';
import type { ManagedCredential, Stored } from '../../resources/resource.ts';
import { pagesOf, type Usage, type UsageSource } from '../../manage/resource-store.ts';
import { isLive } from '../../clock.ts';
import { isAppKeySecret } from '../../model/app-key.ts';
import { endingsOf, isInUse } from '../../model/ending.ts';
import { declareVersion, formatDistance } from '../render/text.ts';
import type { Column, ListView } from '../render/list.ts';

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

/** For programs: when a credential was used, and its version. */
export function declareUse({ stored, usage }: ShownCredential): Declared {
  const { lastUsedAt = null, retiringSecretLastUsedAt = null } = usage ?? {};
  return {
    ...(lastUsedAt === null ? {} : { lastUsedAt: declareTime(lastUsedAt) }),
    ...(retiringSecretLastUsedAt === null ? {} : { retiringSecretLastUsedAt: declareTime(retiringSecretLastUsedAt) }),
    ...declareVersion(stored),
  };
}

/** The App Key where it is public; where it is the secret itself, only whether it is kept. */
export function shownAppKey({ methods, appKey }: ManagedCredential): string {
  if (isAppKeySecret(methods)) return appKey === null ? '(hash only)' : '(secret)';
  return appKey === null ? '(unknown)' : textOf(appKey);
}

/** What a credential is worth at a time. `rotating`: its former App Secret works too. */
export const shownStates = ['active', 'rotating', 'retiring', 'not-yet-valid', 'expired', 'revoked'] as const;
type ShownState = (typeof shownStates)[number];

/** What a credential is worth now. */
export function stateAt(
  { state, notBefore, expiresAt, retiringSecret }: ManagedCredential,
  nowSeconds: number,
): ShownState {
  if (state === 'revoked') return 'revoked';
  if (expiresAt !== null && expiresAt <= nowSeconds) return 'expired';
  if (notBefore !== null && nowSeconds < notBefore) return 'not-yet-valid';
  if (state === 'retiring') return 'retiring';
  return retiringSecret !== null && nowSeconds < retiringSecret.expiresAt ? 'rotating' : 'active';
}

/** Whether a credential works now and, so many seconds from now, no longer does. */
export function endsWithin(credential: ManagedCredential, seconds: number, nowSeconds: number): boolean {
  const { expiresAt } = credential;
  return expiresAt !== null && expiresAt <= nowSeconds + seconds && works(credential, nowSeconds);
}

/** Whether a credential works now, has been there for so many seconds, and was not used within them. */
export function isUnusedFor({ stored, usage }: ShownCredential, seconds: number, nowSeconds: number): boolean {
  const since = Math.max(stored.createdAt, stored.resource.notBefore ?? 0, usage?.lastUsedAt ?? 0);
  return since <= nowSeconds - seconds && works(stored.resource, nowSeconds);
}

/** Whether a former App Secret, or a credential that a rotation retired, works now and partners still use it. */
export function isFormerInUse({ stored: { resource }, usage }: ShownCredential, nowSeconds: number): boolean {
  const endings = endingsOf({ ...resource, formerSecretEndsAt: resource.retiringSecret?.expiresAt ?? null });
  return endings.some(
    (ending) =>
      ending.kind !== 'credential' && isLive(ending, nowSeconds) && isInUse(ending.kind, usage, nowSeconds) === true,
  );
}

function works(credential: ManagedCredential, nowSeconds: number): boolean {
  return !['revoked', 'expired', 'not-yet-valid'].includes(stateAt(credential, nowSeconds));
}

const NONE = 'There is no such credential. "postern credential issue" creates one.';

/**
 * Credentials in a table; `none` is said in its place when there are none. With `ofFormer`, ends and uses are those of
 * what a rotation replaced.
 */
export function credentialView(
  nowSeconds: number,
  { none = NONE, ofFormer = false }: { readonly none?: string; readonly ofFormer?: boolean } = {},
): ListView<ShownCredential> {
  return {
    columns: [
      { heading: 'ID', cell: ({ stored }) => stored.resource.id },
      { heading: 'CONSUMER', cell: ({ stored }) => stored.resource.consumerId },
      { heading: 'METHOD', cell: ({ stored }) => stored.resource.methods.join(', ') },
      { heading: 'APP KEY', cell: ({ stored }) => shownAppKey(stored.resource), canShrink: true },
      {
        heading: 'STATE',
        cell: ({ stored }) => stateAt(stored.resource, nowSeconds),
        paint: (text, { stored }, paint) => paintState(text, stateAt(stored.resource, nowSeconds), paint),
      },
      ...(ofFormer ? formerColumns(nowSeconds) : ownColumns(nowSeconds)),
    ],
    declare: (shown) => ({ ...declareWholeCredential(shown.stored.resource, 'leave-out'), ...declareUse(shown) }),
    none,
  };
}

function ownColumns(nowSeconds: number): readonly Column<ShownCredential>[] {
  return [
    { heading: 'ENDS', cell: ({ stored }) => distanceOf(stored.resource.expiresAt, nowSeconds, 'never') },
    { heading: 'LAST USED', cell: ({ usage }) => distanceOf(usage?.lastUsedAt ?? null, nowSeconds, 'never') },
  ];
}

/** Of the former App Secret; of the whole credential where that is the former one. */
function formerColumns(nowSeconds: number): readonly Column<ShownCredential>[] {
  return [
    {
      heading: 'FORMER ENDS',
      cell: ({ stored: { resource } }) =>
        distanceOf(formerEndOf(resource, nowSeconds) ?? resource.expiresAt, nowSeconds, 'never'),
    },
    {
      heading: 'FORMER USED',
      cell: ({ stored: { resource }, usage }) => {
        const { lastUsedAt = null, retiringSecretLastUsedAt = null } = usage ?? {};
        const isSecret = formerEndOf(resource, nowSeconds) !== null;
        return distanceOf(isSecret ? retiringSecretLastUsedAt : lastUsedAt, nowSeconds, 'never');
      },
    },
  ];
}

/** When the former App Secret ends; null when none works. */
function formerEndOf({ retiringSecret }: ManagedCredential, nowSeconds: number): number | null {
  return retiringSecret !== null && nowSeconds < retiringSecret.expiresAt ? retiringSecret.expiresAt : null;
}

function distanceOf(seconds: number | null, nowSeconds: number, none: string): string {
  return seconds === null ? none : formatDistance(seconds, nowSeconds);
}

function paintState(text: string, state: ShownState, paint: Paint): string {
  if (state === 'active') return text;
  return state === 'revoked' || state === 'expired' ? paint.red(text) : paint.yellow(text);
}
