import type { WhichSecret } from '../../model/credential.ts';
import { appSecretOf, formerSecretOf, type Material } from '../../model/material.ts';
import type { Secret } from '../../model/secret.ts';
import { equal } from '../../base/text/equal.ts';

/** The App Secrets of a credential, which may not be readable here. */
interface Held {
  readonly id: string;
  readonly material: Material;
}

type GivenSecret = WhichSecret | 'other';

/**
 * Which App Secret of a credential the one of `--secret-from` is, null where that is not known, and what is said of
 * it: no option is passed over in silence.
 */
export function compareGivenSecret(
  given: string,
  held: Held | null,
): { readonly which: GivenSecret | null; readonly note: string } {
  if (held === null) {
    return { which: null, note: `${SUBJECT} was compared with nothing: no credential has the App Key of the request.` };
  }
  const { id, material } = held;
  const appSecret = appSecretOf(material);
  const which = appSecret === null ? null : findWhich(given, appSecret, formerSecretOf(material));
  const none = material.kind === 'public-key' ? NO_SECRET : NONE;
  const meaning = appSecret === null ? none : which === null ? UNREAD : MEANINGS[which];
  return { which, note: `${SUBJECT} ${meaning}: ${id}.` };
}

/** Null where the stored ones cannot be read here. */
function findWhich(given: string, appSecret: Secret, former: Secret | null): GivenSecret | null {
  try {
    if (equal(Buffer.from(given), appSecret.reveal())) return 'current';
    return former !== null && equal(Buffer.from(given), former.reveal()) ? 'retiring' : 'other';
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return null;
  }
}

const SUBJECT = 'The App Secret given with --secret-from';
const UNREAD = 'was not compared, because the stored ones cannot be read here; the credential is';
const MEANINGS: Readonly<Record<GivenSecret, string>> = {
  current: 'is the current one of the credential',
  retiring: 'is the former one, replaced at the last rotation, of the credential',
  other: 'is another one than the store has for the credential',
};
const NO_SECRET = 'was compared with nothing: there is none, as callers sign with a private key, for the credential';
const NONE = 'was compared with nothing: there is none, as the App Key is the secret, for the credential';

/** The same of the App Key of `--secret-from`, where that is the secret. */
export function describeGivenAppKey(given: string, sent: string | null, holderId: string | null): string {
  const owner = holderId === null ? 'that no credential has' : `of the credential ${holderId}`;
  if (sent === null) return `The App Key given with --secret-from is one ${owner}.`;
  const isSent = equal(Buffer.from(given), Buffer.from(sent));
  return `The App Key given with --secret-from is ${isSent ? 'the one' : 'another one than the one'} of the request, and one ${owner}.`;
}
