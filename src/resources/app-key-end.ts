import { KeptSecret } from '../model/kept-secret.ts';
import { isUnopened } from '../model/keyring/sealed.ts';
import { materialFacts } from '../model/material.ts';
import type { ManagedCredential } from './resource.ts';

/** An App Key of fewer characters shows none of them: the rest of it could be guessed. */
export const MIN_CHARACTERS_TO_SHOW = 24;
const SHOWN_CHARACTERS = 4;

/** What people type to find an App Key by its end. */
export const KEY_END_PATTERN = /^[ !#-\[\]-~]{4}$/;

/**
 * The last characters of an App Key that is the secret, by which people tell one from another; of 32 hex digits, 112
 * bits stay secret. Null for an App Key that is short, not kept, not opened here, or no secret.
 */
export function endOfAppKey(credential: Pick<ManagedCredential, 'material' | 'appKey'>): string | null {
  return materialFacts[credential.material.kind].appKey === 'secret' ? endToFind(credential) : null;
}

/**
 * The last characters by which a store finds an App Key, secret or not; null as in {@link endOfAppKey}, and for one
 * that is too short or none.
 */
export function endToFind({ material, appKey }: Pick<ManagedCredential, 'material' | 'appKey'>): string | null {
  const { appKey: kind } = materialFacts[material.kind];
  if (kind === 'derived' || appKey === null || isUnopened(appKey)) return null;
  if (appKey instanceof KeptSecret) return appKey.end;
  return endOfText(appKey.reveal().toString('utf8'), kind === 'secret');
}

/** The last characters of an App Key; null where they are too many of it. */
export function endOfText(appKey: string, isSecret: boolean): string | null {
  return appKey.length < (isSecret ? MIN_CHARACTERS_TO_SHOW : SHOWN_CHARACTERS)
    ? null
    : appKey.slice(-SHOWN_CHARACTERS);
}
