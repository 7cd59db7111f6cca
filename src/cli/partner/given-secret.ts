import type { WhichSecret } from '../../model/credential.ts';
import { appSecretOf, formerSecretOf, type Material } from '../../model/material.ts';
import { equal } from '../../base/text/equal.ts';

/** The App Secrets of a credential, which may not be readable here. */
interface Held {
  readonly id: string;
  readonly material: Material;
}

/** Which App Secret of a credential a given one is; null where the stored ones cannot be read here. */
export function whichSecret(given: string, { material }: Omit<Held, 'id'>): GivenSecret | null {
  const appSecret = appSecretOf(material);
  const former = formerSecretOf(material);
  if (appSecret === null) return null;
  try {
    if (equal(Buffer.from(given), appSecret.reveal())) return 'current';
    return former !== null && equal(Buffer.from(given), former.reveal()) ? 'retiring' : 'other';
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return null;
  }
}

type GivenSecret = WhichSecret | 'other';

/** What is said of the App Secret of `--secret-from`: no option is passed over in silence. */
export function describeGivenSecret(given: string, held: Held | null): string {
  if (held === null) return `${SUBJECT} was compared with nothing: no credential has the App Key of the request.`;
  const which = appSecretOf(held.material) === null ? 'none' : whichSecret(given, held);
  return `${SUBJECT} ${which === null ? UNREAD : MEANINGS[which]}: ${held.id}.`;
}

const SUBJECT = 'The App Secret given with --secret-from';
const UNREAD = 'was not compared, because the stored ones cannot be read here; the credential is';
const MEANINGS: Readonly<Record<GivenSecret | 'none', string>> = {
  current: 'is the current one of the credential',
  retiring: 'is the former one, replaced at the last rotation, of the credential',
  other: 'is another one than the store has for the credential',
  none: 'was compared with nothing: there is none, as the App Key is the secret, for the credential',
};

/** The same of the App Key of `--secret-from`, where that is the secret. */
export function describeGivenAppKey(given: string, sent: string | null, holderId: string | null): string {
  const owner = holderId === null ? 'that no credential has' : `of the credential ${holderId}`;
  if (sent === null) return `The App Key given with --secret-from is one ${owner}.`;
  const isSent = equal(Buffer.from(given), Buffer.from(sent));
  return `The App Key given with --secret-from is ${isSent ? 'the one' : 'another one than the one'} of the request, and one ${owner}.`;
}
