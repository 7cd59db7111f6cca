import { createHash } from 'node:crypto';
import { type Credential, makeCredential } from '../model/credential.ts';
import { wholeMaterial } from '../model/material.ts';
import type { StoreState } from '../check/store/check-store.ts';
import type { DocumentCredential } from './credential.ts';
import type { DocumentContent } from './parse-document.ts';

/** Characters of a hash in a generated id: 80 bits, which no two App Keys share by chance. */
const HASH_CHARACTERS = 20;

/** Longest consumer id that leaves room for `-key-` and a number within the 63 characters of an id. */
const MAX_ID_PREFIX = 50;

/**
 * The state of a file store from a document that was parsed as complete; throws when it was not, which is a defect.
 *
 * A credential without `id` gets one that stays the same over reloads, restarts and, mostly, edits:
 * - with a signature method or OAuth2, where the App Key is public: `<method>-<hash of consumer and App Key>`, whatever
 *   the order of the file. A token, which names its credential, can so never pass to another credential.
 * - with `key` only, where even a hash of the App Key would help to guess it: `<consumer>-key-<n>`, counted within the
 *   consumer in the order of the file.
 */
export function buildState(content: DocumentContent): StoreState {
  const taken = new Set(content.credentials.flatMap(({ id }) => id ?? []));
  const counts = new Map<string, number>();
  const credentials = content.credentials.map((credential): Credential => {
    const { appKey, appKeyHash, material: declared, ...kept } = credential;
    const material = wholeMaterial(declared);
    if (appKeyHash === null || material === null) throw incomplete(credential);
    const id = credential.id ?? generateId(credential, appKey, taken, counts);
    return makeCredential({ ...kept, id, appKeyHash, material });
  });
  const { endpoints, consumers, grants, plans, issuers } = content;
  return { endpoints, consumers, credentials, grants, plans, issuers };
}

function incomplete(credential: DocumentCredential): Error {
  return new Error(`a credential of consumer ${credential.consumerId} lacks its App Key or App Secret`);
}

function generateId(
  { consumerId, methods }: DocumentCredential,
  appKey: string | null,
  taken: Set<string>,
  counts: Map<string, number>,
): string {
  const publicMethod = methods.find((method) => method !== 'key');
  const base =
    publicMethod === undefined || appKey === null
      ? `${consumerId.slice(0, MAX_ID_PREFIX)}-key`
      : `${publicMethod}-${hashOf(consumerId, appKey)}`;
  for (;;) {
    const count = (counts.get(base) ?? 0) + 1;
    counts.set(base, count);
    const id = publicMethod === undefined || count > 1 ? `${base}-${String(count)}` : base;
    if (!taken.has(id)) {
      taken.add(id);
      return id;
    }
  }
}

function hashOf(consumerId: string, appKey: string): string {
  return createHash('sha256').update(`${consumerId}\n${appKey}`).digest('hex').slice(0, HASH_CHARACTERS);
}
