import { choiceField, dateField, idField, nestedMapping, textThat } from '../model/document/fields.ts';
import { placeIn, type Place, type ProblemLog } from '../model/document/problem-log.ts';
import { hasKey, readMapping } from '../model/document/read-mapping.ts';
import type { Sealed } from '../model/keyring/sealed.ts';
import { hashAppKey, isAppKeySecret } from '../model/app-key.ts';
import { type Credential, credentialStates } from '../model/credential.ts';
import { appKeyField, appKeyHashField, methodsField, readMethodList, reportMisfits } from './credential.ts';

/** A credential as a database keeps it: its secrets sealed, an App Key that is none in clear. */
export interface StoredCredential extends Omit<Credential, 'appSecret' | 'retiringSecret'> {
  /** Null exactly when it is the secret. */
  readonly appKey: string | null;
  /** The App Key that is the secret; null when only its hash is kept. */
  readonly sealedAppKey: Sealed | null;
  readonly appSecret: Sealed | null;
  readonly retiringSecret: { readonly appSecret: Sealed; readonly expiresAt: number } | null;
}

/** Whether it opens is for the key ring to say. */
const sealedPartField = textThat((text) => text !== '' && text.length <= 8192, 'must be a text that is not empty');

const sealedKind = {
  what: 'a sealed secret',
  fields: { keyId: sealedPartField, nonce: sealedPartField, ciphertext: sealedPartField },
  required: ['keyId', 'nonce', 'ciphertext'],
} as const;

const retiringKind = {
  what: '"retiringSecret"',
  fields: { appSecret: nestedMapping(sealedKind), expiresAt: dateField },
  required: ['appSecret', 'expiresAt'],
} as const;

/** A credential of a database. */
export const storedCredentialKind = {
  what: 'a credential',
  fields: {
    id: idField,
    consumerId: idField,
    methods: methodsField,
    appKey: appKeyField,
    sealedAppKey: nestedMapping(sealedKind),
    appKeyHash: appKeyHashField,
    appSecret: nestedMapping(sealedKind),
    retiringSecret: nestedMapping(retiringKind),
    state: choiceField(credentialStates),
    notBefore: dateField,
    expiresAt: dateField,
  },
  required: ['id', 'consumerId', 'methods', 'appKeyHash', 'state'],
} as const;

/** Reads a credential as a database keeps it; null when a problem was reported. Opens nothing. */
export function readStoredCredential(raw: unknown, place: Place, problems: ProblemLog): StoredCredential | null {
  const before = problems.count;
  const values = readMapping(raw, place, storedCredentialKind, problems);
  if (values === null) return null;
  const { id, consumerId, appKey = null, appKeyHash, state, notBefore = null, expiresAt = null } = values;
  const methods = hasKey(raw, 'methods') ? readMethodList(values.methods, placeIn(place, 'methods'), problems) : null;
  if (methods !== null) reportAppKey(raw, isAppKeySecret(methods), place, problems);
  if (appKey !== null && appKeyHash !== undefined && hashAppKey(appKey) !== appKeyHash) {
    problems.report(placeIn(place, 'appKeyHash'), '"appKeyHash" is not the SHA-256 of "appKey"');
  }
  reportMisfits(raw, { methods, state, notBefore, expiresAt }, place, problems);
  const sealedAppKey = readSealed(values.sealedAppKey, place, 'sealedAppKey', problems);
  const appSecret = readSealed(values.appSecret, place, 'appSecret', problems);
  const retiringSecret = readRetiringSecret(values.retiringSecret, placeIn(place, 'retiringSecret'), problems);
  if (problems.count > before || methods === null) return null;
  if (id === undefined || consumerId === undefined || appKeyHash === undefined || state === undefined) return null;
  return {
    ...{ id, consumerId, methods, appKey, sealedAppKey, appKeyHash, appSecret, retiringSecret },
    ...{ state, notBefore, expiresAt },
  };
}

/** An App Key that is the secret is never kept in clear; one that is not is there, and so is the App Secret. */
function reportAppKey(raw: unknown, isKeyOnly: boolean, place: Place, problems: ProblemLog): void {
  const misplaced = isKeyOnly ? 'appKey' : 'sealedAppKey';
  if (hasKey(raw, misplaced)) {
    const why = isKeyOnly
      ? '"appKey" is the secret of a credential of method key; it cannot be here'
      : '"sealedAppKey" is for a credential of method key only';
    problems.report(placeIn(place, misplaced), why);
  }
  for (const key of isKeyOnly ? [] : ['appKey', 'appSecret']) {
    if (!hasKey(raw, key)) problems.report(place, `"${key}" is missing; only a credential of method key has none`);
  }
}

function readRetiringSecret(raw: unknown, place: Place, problems: ProblemLog): StoredCredential['retiringSecret'] {
  if (raw === undefined) return null;
  const values = readMapping(raw, place, retiringKind, problems);
  const appSecret = readSealed(values?.appSecret, place, 'appSecret', problems);
  return appSecret === null || values?.expiresAt === undefined ? null : { appSecret, expiresAt: values.expiresAt };
}

function readSealed(raw: unknown, parent: Place, key: string, problems: ProblemLog): Sealed | null {
  if (raw === undefined) return null;
  const { keyId, nonce, ciphertext } = readMapping(raw, placeIn(parent, key), sealedKind, problems) ?? {};
  return keyId === undefined || nonce === undefined || ciphertext === undefined ? null : { keyId, nonce, ciphertext };
}
