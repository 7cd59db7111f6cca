import { idField, isMapping, nestedMapping } from '../model/document/fields.ts';
import { placeIn, type Place, type ProblemLog } from '../model/document/problem-log.ts';
import { hasKey, readMapping, withDefaults } from '../model/document/read-mapping.ts';
import type { Sealed } from '../model/keyring/sealed.ts';
import { hashAppKey } from '../model/app-key.ts';
import { type Credential, credentialDefaults } from '../model/credential.ts';
import { derivedAppKeyOf, type Material, materialFacts, type MaterialKind } from '../model/material.ts';
import {
  appKeyField,
  appKeyHashField,
  methodsField,
  readAppKey,
  readMethodList,
  reportMethods,
  reportMisfits,
} from './credential.ts';
import { alwaysStored, storedFields } from './credential-fields.ts';
import { materialKindIn, readStoredMaterial, storedMaterialFields, storedNeedsOf } from './credential-material.ts';
import { readSealed, sealedKind } from './shared-secret-fields.ts';

/** A credential as a database keeps it: its secrets sealed, an App Key that is none in clear. */
export interface StoredCredential extends Omit<Credential, 'material'> {
  /** Null where it is the secret. */
  readonly appKey: string | null;
  /** The App Key that is the secret; null when only its hash is kept. */
  readonly sealedAppKey: Sealed | null;
  readonly material: Material<Sealed>;
}

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
    ...storedMaterialFields,
    ...storedFields,
  },
  required: ['id', 'consumerId', 'methods', 'appKeyHash', ...alwaysStored],
} as const;

/** Reads a credential as a database keeps it; null when a problem was reported. Opens nothing. */
export function readStoredCredential(raw: unknown, place: Place, problems: ProblemLog): StoredCredential | null {
  const before = problems.count;
  const values = readMapping(raw, place, storedCredentialKind, problems);
  if (values === null) return null;
  const { id, consumerId, appKeyHash } = values;
  const own = withDefaults(values, credentialDefaults);
  const methods = hasKey(raw, 'methods') ? readMethodList(values.methods, placeIn(place, 'methods'), problems) : null;
  const kind = methods !== null && isMapping(raw) ? materialKindIn(raw) : null;
  if (kind !== null) reportAppKey(raw, kind, place, problems);
  reportMethods(raw, methods, kind, place, problems);
  const appKey = readAppKey(values.appKey, kind, place, problems);
  if (appKey !== null && appKeyHash !== undefined && hashAppKey(appKey) !== appKeyHash) {
    problems.report(placeIn(place, 'appKeyHash'), '"appKeyHash" is not the SHA-256 of "appKey"');
  }
  reportMisfits(raw, { ...own, kind, state: values.state }, place, problems);
  const sealedAppKey = readSealed(values.sealedAppKey, place, 'sealedAppKey', problems);
  const material = kind === null ? null : readStoredMaterial(values, kind, place, problems);
  const derived = material === null ? null : derivedAppKeyOf(material);
  if (derived !== null && appKeyHash !== undefined && hashAppKey(derived) !== appKeyHash) {
    problems.report(placeIn(place, 'appKeyHash'), '"appKeyHash" does not follow from what the credential names');
  }
  if (problems.count > before || methods === null || material === null) return null;
  if (id === undefined || consumerId === undefined || appKeyHash === undefined) return null;
  return { id, consumerId, methods, appKey, sealedAppKey, appKeyHash, material, ...own };
}

/** An App Key that is the secret is never kept in clear; one that is not is there, and so is what it is proved with. */
function reportAppKey(raw: unknown, kind: MaterialKind, place: Place, problems: ProblemLog): void {
  const { appKey } = materialFacts[kind];
  const isSecret = appKey === 'secret';
  const misplaced = { secret: ['appKey'], public: ['sealedAppKey'], derived: ['appKey', 'sealedAppKey'] }[appKey];
  for (const key of misplaced) {
    if (!hasKey(raw, key)) continue;
    const why = isSecret
      ? '"appKey" is the secret of a credential of method key; it cannot be here'
      : appKey === 'derived'
        ? `"${key}" is not for a credential of method jwt or certificate, which has no App Key`
        : '"sealedAppKey" is for a credential of method key only';
    problems.report(placeIn(place, key), why);
  }
  for (const key of [...(appKey === 'public' ? ['appKey'] : []), ...storedNeedsOf(kind)]) {
    if (hasKey(raw, key)) continue;
    const why =
      kind === 'shared-secret' ? 'only a credential of method key has none' : 'a credential of its methods needs it';
    problems.report(place, `"${key}" is missing; ${why}`);
  }
}
