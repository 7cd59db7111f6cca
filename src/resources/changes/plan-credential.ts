import { type Declared, declareTime } from '../declared.ts';
import { type DocumentCredential, readCredential } from '../credential.ts';
import { describeKnownBy, stoppedText } from '../known-by.ts';
import { timeField } from '../../model/document/fields.ts';
import { unseenTexts } from '../../model/document/unseen-texts.ts';
import { type PlainProblem, readPlain } from '../../model/document/read-plain.ts';
import type { PublicKey } from '../../model/public-key/public-key.ts';
import type { Secret } from '../../model/secret.ts';
import { hashOfAppKey, textOf } from './generate-credential.ts';
import type { Change, Planned } from './change.ts';
import { type PlannedConflict, takenCredentialId } from './planned-conflict.ts';
import type { ManagedCredential, Stored } from '../resource.ts';
import { materialFacts, wholeMaterial, withoutFormer } from '../../model/material.ts';

/** A credential to be made, generated or imported. */
export interface NewCredential {
  readonly id: string;
  readonly consumerId: string;
  /** As given: whether they are methods is looked at here. */
  readonly methods: readonly string[];
  /** Null where what it is found by follows from what its fields name: an issuer's claims, or a certificate. */
  readonly appKey: Secret | null;
  /** Null where none is given. */
  readonly appSecret: Secret | null;
  /** What the partner signs with in place of an App Secret; null where none is given. */
  readonly publicKey: PublicKey | null;
  /** Keeps only the hash of the App Key; for method `key` only. */
  readonly keepsHashOnly: boolean;
  /** Its other fields, as a declarative file has them, with `issuer` and `claims`, or `certificate`. */
  readonly fields: Declared;
}

/** What is there already under the same id, and under the same App Key. */
export interface TakenBy {
  readonly id: Stored<ManagedCredential> | null;
  readonly appKey: Stored<ManagedCredential> | null;
}

/** Plans a credential by the rules of declarative files (spec §1). No problem and no conflict repeats a secret. */
export function planNewCredential(wish: NewCredential, taken: TakenBy, nowSeconds: number): Planned {
  if (taken.id !== null) {
    return takenCredentialId(wish.id);
  }
  if (taken.appKey !== null) return takenBy(taken.appKey.resource, nowSeconds);
  const { appKey, keepsHashOnly, fields } = wish;
  const read = readWish(wish);
  // The lines of a PEM end with characters that nobody sees; its reader looks at every other.
  const texts = Object.fromEntries(Object.entries(fields).filter(([name]) => name !== 'certificate'));
  const problems: PlainProblem[] = [...unseenTexts(texts), ...('problems' in read ? read.problems : [])];
  const expiresAt = timeField(fields['expiresAt']);
  if (typeof expiresAt === 'number' && expiresAt <= nowSeconds) {
    problems.push({ path: 'expiresAt', message: `${declareTime(expiresAt)} is over; the credential would never work` });
  }
  if (keepsHashOnly && 'value' in read && materialFacts[read.value.material.kind].appKey !== 'secret') {
    problems.push({ path: 'appKeyHash', message: 'only the App Key of method key can be kept as a hash' });
  }
  if ('problems' in read || problems.length > 0) return { problems };
  const { appKeyHash } = read.value;
  const material = wholeMaterial(read.value.material);
  if (appKeyHash === null) throw new Error(`the credential ${wish.id} is found by nothing`);
  if (material === null) throw new Error(`the credential ${wish.id} lacks its App Secret`);
  const after: ManagedCredential = {
    ...read.value,
    id: wish.id,
    appKeyHash,
    appKey: keepsHashOnly ? null : appKey,
    material,
  };
  return { changes: [{ kind: 'credential', id: wish.id, before: null, after }] };
}

/** That a new credential would be found by the App Key, or by what it is known by, of this one. */
export function takenBy(holder: ManagedCredential, nowSeconds: number): PlannedConflict {
  const { id, material } = holder;
  const knownBy = describeKnownBy(material);
  const [what, rule] =
    knownBy === null
      ? ['has this App Key', 'an App Key is never given twice']
      : [`is known by ${knownBy}`, 'no two credentials are known by the same'];
  const unnamed = `another credential ${knownBy === null ? what : 'is known by the same'}; ${rule}`;
  const stopped = knownBy === null ? '' : stoppedText(holder, nowSeconds);
  const conflict = `the credential "${id}" ${what}; ${rule}${stopped}`;
  return { conflict, holder: { kind: 'credential', id, unnamed } };
}

/**
 * The hash by which a new credential will be found; null where its fields are faulty, which {@link planNewCredential}
 * reports.
 */
export function foundBy(wish: NewCredential): string | null {
  if (wish.appKey !== null) return hashOfAppKey(wish.appKey);
  const read = readWish(wish);
  return 'value' in read ? read.value.appKeyHash : null;
}

function readWish(wish: NewCredential): ReturnType<typeof readPlain<DocumentCredential>> {
  return readPlain(
    declare(wish),
    (raw, place, problems) =>
      readCredential(raw, place, wish.consumerId, {
        problems,
        isComplete: true,
        readSecret: noSecret,
        readKeyFile: noSecret,
      }).value,
  );
}

function declare({ id, methods, appKey, appSecret, publicKey, fields }: NewCredential): object {
  return {
    id,
    ...(methods.length === 1 ? { method: methods[0] } : { methods }),
    ...(appKey === null ? {} : { appKey: textOf(appKey) }),
    ...(appSecret === null ? {} : { appSecret: textOf(appSecret) }),
    ...(publicKey === null ? {} : { publicKey: { jwk: publicKey.jwk } }),
    ...fields,
  };
}

function noSecret(): { fault: string } {
  return { fault: 'cannot be read here' };
}

/** Plans that a credential is refused from now on, its former secret too. None when it is revoked already. */
export function planRevocation(current: Stored<ManagedCredential>): readonly Change[] {
  const { resource } = current;
  if (resource.state === 'revoked') return [];
  const after: ManagedCredential = { ...resource, state: 'revoked', material: withoutFormer(resource.material) };
  return [{ kind: 'credential', id: resource.id, before: current, after }];
}
