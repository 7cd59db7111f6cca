import { declareWholeCredential } from '../../resources/credential.ts';
import { textOf } from '../../resources/changes/generate-credential.ts';
import type { Paint } from '../../resources/changes/render-change.ts';
import {
  declareUse,
  type ShownCredential,
  type ShownState,
  stateAt,
} from '../../resources/changes/shown-credential.ts';
import { endOfAppKey } from '../../resources/app-key-end.ts';
import { shortKnownBy } from '../../resources/known-by.ts';
import type { ManagedCredential } from '../../resources/resource.ts';
import { firstCertificateEndOf } from '../../model/certificate-ends.ts';
import { formerEndOf, materialFacts } from '../../model/material.ts';
import { formatDistance } from '../render/text.ts';
import type { Column, ListView } from '../render/list.ts';

/**
 * The App Key where it is public; where it is the secret itself, its last characters, or whether it is kept; where
 * there is none, what the credential is known by.
 */
export function shownAppKey({ material, appKey }: ManagedCredential): string {
  if (materialFacts[material.kind].appKey === 'secret') {
    const end = endOfAppKey({ material, appKey });
    return appKey === null ? '(hash only)' : end === null ? '(secret)' : `…${end}`;
  }
  return shortKnownBy(material) ?? (appKey === null ? '(unknown)' : textOf(appKey));
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
    { heading: 'ENDS', cell: ({ stored }) => distanceOf(endOf(stored.resource), nowSeconds, 'never') },
    { heading: 'LAST USED', cell: ({ usage }) => distanceOf(usage?.lastUsedAt ?? null, nowSeconds, 'never') },
  ];
}

/** When a credential ends, or before that the first certificate that it stands on. */
function endOf({ expiresAt, material }: ManagedCredential): number | null {
  const end = Math.min(expiresAt ?? Infinity, firstCertificateEndOf(material) ?? Infinity);
  return Number.isFinite(end) ? end : null;
}

/** Of the former App Secret; of the whole credential where that is the former one. */
function formerColumns(nowSeconds: number): readonly Column<ShownCredential>[] {
  return [
    {
      heading: 'FORMER ENDS',
      cell: ({ stored: { resource } }) =>
        distanceOf(liveFormerEnd(resource, nowSeconds) ?? resource.expiresAt, nowSeconds, 'never'),
    },
    {
      heading: 'FORMER USED',
      cell: ({ stored: { resource }, usage }) => {
        const { lastUsedAt = null, retiringSecretLastUsedAt = null } = usage ?? {};
        const isSecret = liveFormerEnd(resource, nowSeconds) !== null;
        return distanceOf(isSecret ? retiringSecretLastUsedAt : lastUsedAt, nowSeconds, 'never');
      },
    },
  ];
}

/** When the former App Secret ends; null when none works. */
function liveFormerEnd({ material }: ManagedCredential, nowSeconds: number): number | null {
  const end = formerEndOf(material);
  return end !== null && nowSeconds < end ? end : null;
}

function distanceOf(seconds: number | null, nowSeconds: number, none: string): string {
  return seconds === null ? none : formatDistance(seconds, nowSeconds);
}

function paintState(text: string, state: ShownState, paint: Paint): string {
  if (state === 'active') return text;
  return state === 'revoked' || state === 'expired' ? paint.red(text) : paint.yellow(text);
}
