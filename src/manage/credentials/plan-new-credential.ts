import { declareTime } from '../../resources/declared.ts';
import { readCredential } from '../../resources/credential.ts';
import { type PlainProblem, readPlain } from '../../document/read-plain.ts';
import type { Secret } from '../../model/secret.ts';
import { hashOfAppKey } from '../generate-pair.ts';
import type { Planned } from '../planned.ts';
import type { ManagedCredential, Stored } from '../../resources/resource.ts';

/** A credential to be made, generated or imported. */
export interface NewCredential {
  readonly id: string;
  readonly consumerId: string;
  /** As given: whether they are methods is looked at here. */
  readonly methods: readonly string[];
  readonly appKey: Secret;
  /** Null where the App Key is the secret. */
  readonly appSecret: Secret | null;
  /** Keeps only the hash of the App Key; for method `key` only. */
  readonly keepsHashOnly: boolean;
  /** Seconds since the epoch; null for no bound. */
  readonly notBefore: number | null;
  readonly expiresAt: number | null;
}

/** What is there already under the same id, and under the same App Key. */
export interface TakenBy {
  readonly id: Stored<ManagedCredential> | null;
  readonly appKey: Stored<ManagedCredential> | null;
}

/** Plans a credential by the rules of declarative files (spec §1). No problem and no conflict repeats a secret. */
export function planNewCredential(wish: NewCredential, taken: TakenBy, nowSeconds: number): Planned {
  if (taken.id !== null) {
    return { conflict: `there is a credential "${wish.id}" already; choose another --id` };
  }
  if (taken.appKey !== null) {
    return {
      conflict: `the credential "${taken.appKey.resource.id}" has this App Key; an App Key is never given twice`,
    };
  }
  const { consumerId, appKey, keepsHashOnly, expiresAt } = wish;
  const read = readPlain(
    declare(wish),
    (raw, place, problems) =>
      readCredential(raw, place, consumerId, { problems, isComplete: true, readSecret: noSecret }).credential,
  );
  const problems: PlainProblem[] = 'problems' in read ? [...read.problems] : [];
  if (expiresAt !== null && expiresAt <= nowSeconds) {
    problems.push({ path: 'expiresAt', message: `${declareTime(expiresAt)} is over; the credential would never work` });
  }
  if (keepsHashOnly && 'value' in read && read.value.appSecret !== null) {
    problems.push({ path: 'appKeyHash', message: 'only the App Key of method key can be kept as a hash' });
  }
  if ('problems' in read || problems.length > 0) return { problems };
  const after: ManagedCredential = {
    ...read.value,
    id: wish.id,
    appKeyHash: hashOfAppKey(appKey),
    appKey: keepsHashOnly ? null : appKey,
    retiringSecret: null,
  };
  return { changes: [{ kind: 'credential', id: wish.id, before: null, after }] };
}

function declare({ id, methods, appKey, appSecret, notBefore, expiresAt }: NewCredential): object {
  return {
    id,
    ...(methods.length === 1 ? { method: methods[0] } : { methods }),
    appKey: textOf(appKey),
    ...(appSecret === null ? {} : { appSecret: textOf(appSecret) }),
    ...(notBefore === null ? {} : { notBefore: declareTime(notBefore) }),
    ...(expiresAt === null ? {} : { expiresAt: declareTime(expiresAt) }),
  };
}

function textOf(secret: Secret): string {
  return secret.reveal().toString('utf8');
}

function noSecret(): { fault: string } {
  return { fault: 'cannot be read here' };
}
