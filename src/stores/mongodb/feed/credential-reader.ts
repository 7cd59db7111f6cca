import type { MongoClient } from 'mongodb';
import type { Sealer } from '../../../model/keyring/sealed.ts';
import type { Consumer } from '../../../model/consumer.ts';
import { type Credential, credentialDefaults, makeCredential } from '../../../model/credential.ts';
import { isGroupGrant, type OwnGrant } from '../../../model/grant.ts';
import { appKeyMaterial } from '../../../model/material.ts';
import { disabledConsumer } from '../../../resources/consumer.ts';
import { CredentialUnreadable, type HeldCredential } from '../../../check/store/credential-source.ts';
import { withFaults } from '../faults.ts';
import {
  describeFault,
  describeId,
  type DocumentFault,
  faultIn,
  type Mapped,
  type RawDocument,
} from '../mapping/document-fault.ts';
import { readCredentialDocument } from '../mapping/map-credential.ts';
import { readConsumerDocument, readGrantDocument } from '../mapping/records.ts';
import type { CausalFloor } from './change-stream.ts';
import type { RecordFaults } from './record-faults.ts';

/** The whole of a look-up may take this long: well below what Envoy waits for an answer. */
const DEADLINE_MS = 500;

/** What look-ups need. */
export interface CredentialReaderPorts {
  /** For `checks`. */
  readonly client: MongoClient;
  readonly floor: CausalFloor;
  /** Opens App Secrets. `reload` looks whether the key ring was changed, and gives whether it was. */
  readonly keyRing: Sealer & { reload(): Promise<boolean> };
  readonly faults: RecordFaults;
}

/**
 * Makes a look-up of credentials in MongoDB by the hashes of their App Keys: all that a decision needs in one request,
 * no older than the latest known change; null without a holder. Settles within about half a second; rejects with
 * `StoreUnavailable`, or with `CredentialUnreadable` where the key ring lacks the key of an App Secret.
 */
export function createCredentialReader(
  ports: CredentialReaderPorts,
): (appKeyHash: string) => Promise<HeldCredential | null> {
  const { client, floor, keyRing, faults } = ports;
  const find = async (appKeyHash: string): Promise<readonly HeldDocuments[]> => {
    const session = client.startSession({ causalConsistency: true });
    try {
      floor.applyTo(session);
      const credentials = client.db().collection<RawDocument>('credentials');
      const options = {
        session,
        readConcern: { level: 'majority' },
        signal: AbortSignal.timeout(DEADLINE_MS),
      } as const;
      return await credentials.aggregate<HeldDocuments>(heldDocumentsOf(appKeyHash), options).toArray();
    } finally {
      await session.endSession();
    }
  };
  return async (appKeyHash) => {
    const [documents, other] = await withFaults(() => find(appKeyHash));
    if (documents === undefined) return null;
    let read = readHeld(documents, keyRing);
    // A ring that was rotated a moment ago is read once more before a secret counts as locked.
    if (read.faults.some(isLocked) && (await keyRing.reload())) read = readHeld(documents, keyRing);
    for (const { collection, id } of read.right) faults.forget(collection, id);
    for (const fault of read.faults) faults.note(fault);
    const locked = read.faults.find(isLocked);
    if (locked !== undefined) throw new CredentialUnreadable(describeFault(locked));
    if (other !== undefined) {
      const shared = describeShared(other.credential, documents.credential);
      faults.note(shared);
      throw new CredentialUnreadable(describeFault(shared));
    }
    return read.held;
  };
}

function isLocked({ kind }: DocumentFault): boolean {
  return kind === 'unknown-key';
}

/** Possible only without the unique index: it is unknown whose App Key it is. */
function describeShared(credential: RawDocument, other: RawDocument): DocumentFault {
  const problem = `the credential ${describeId(other['_id'])} has the same; both refuse until one is deleted and the unique index is back`;
  return faultIn('credentials', credential, { field: 'appKeyHash', problem });
}

/** One request instead of three: half the time, and half the work for this process. */
function heldDocumentsOf(appKeyHash: string): object[] {
  return [
    { $match: { appKeyHash } },
    { $limit: 2 },
    { $project: { _id: 0, credential: '$$ROOT' } },
    { $lookup: { from: 'consumers', as: 'consumers', localField: 'credential.consumerId', foreignField: '_id' } },
    { $lookup: { from: 'grants', as: 'grants', localField: 'credential.consumerId', foreignField: 'consumerId' } },
  ];
}

/** The documents that make a held credential, as they were found; any of them may be faulty. */
interface HeldDocuments {
  readonly credential: RawDocument;
  readonly consumers: readonly RawDocument[];
  readonly grants: readonly RawDocument[];
}

/** What documents say, and which of them cannot be read. */
interface ReadHeld {
  readonly held: HeldCredential;
  readonly faults: readonly DocumentFault[];
  readonly right: readonly { readonly collection: string; readonly id: unknown }[];
}

/**
 * Reads a credential with its consumer and grants. Nothing is allowed because a document is wrong: a faulty credential
 * counts as revoked, a faulty or absent consumer as disabled, a faulty grant as absent. All of these are found by their
 * ids all the same, so that a change that fixes one takes effect like any other.
 */
function readHeld({ credential, consumers, grants }: HeldDocuments, sealer: Sealer): ReadHeld {
  const faults: DocumentFault[] = [];
  const right: { collection: string; id: unknown }[] = [];
  const take = <T>(collection: string, document: RawDocument, mapped: Mapped<T>): T | null => {
    if ('fault' in mapped) faults.push(mapped.fault);
    else right.push({ collection, id: document['_id'] });
    return 'fault' in mapped ? null : mapped.value;
  };
  const found = take('credentials', credential, readCredentialDocument(credential, sealer));
  const [document] = consumers;
  const consumer = document === undefined ? null : take('consumers', document, readConsumerDocument(document));
  const consumerId = idTextOf(credential['consumerId']);
  if (document === undefined && found !== null) faults.push(absentConsumer(credential, consumerId));
  const byEndpoint = new Map<string, OwnGrant>();
  for (const each of grants) {
    const grant = take('grants', each, readGrantDocument(each));
    // A credential without `consumerId` meets all that have none either, those for groups.
    if (grant !== null && !isGroupGrant(grant)) byEndpoint.set(grant.endpointId, grant);
  }
  const held = {
    credential: found ?? revokedCredential(credential, consumerId),
    consumer: consumer === null ? disabledConsumer(consumerId) : forChecks(consumer),
    grants: byEndpoint,
  };
  return { held, faults, right };
}

/** Without what is for operators: no check reads it, and the cache would hold it. */
function forChecks({ id, name, labels, enabled, allowFrom }: Consumer): Consumer {
  return { id, name, description: '', email: null, team: null, labels, enabled, allowFrom };
}

function absentConsumer(credential: RawDocument, consumerId: string): DocumentFault {
  const problem = `there is no consumer ${describeId(consumerId)}`;
  return faultIn('credentials', credential, { field: 'consumerId', problem });
}

/** Stands for a credential that cannot be read: known, so that a change of it is noticed, and useless to callers. */
function revokedCredential(credential: RawDocument, consumerId: string): Credential {
  return makeCredential({
    ...credentialDefaults,
    id: idTextOf(credential['_id']),
    consumerId,
    methods: [],
    appKeyHash: idTextOf(credential['appKeyHash']),
    material: appKeyMaterial,
    state: 'revoked',
  });
}

/** An id for look-ups by id: a hand may have written ids of another type, and two of them must not become one. */
export function idTextOf(value: unknown): string {
  return typeof value === 'string' ? value : describeId(value);
}
