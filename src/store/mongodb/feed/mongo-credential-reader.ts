import type { MongoClient } from 'mongodb';
import type { Sealer } from '../../../keyring/sealed.ts';
import { CredentialUnreadable, type HeldCredential } from '../../credential-source.ts';
import { collectionNames } from '../documents.ts';
import { withFaults } from '../faults.ts';
import { describeFault, describeId, type DocumentFault, type RawDocument } from '../mapping/document-fault.ts';
import type { CausalFloor } from './causal-floor.ts';
import { type HeldDocuments, type ReadHeld, readHeld } from './read-held.ts';
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

/** Looks up credentials in MongoDB: all that a decision needs in one question, no older than the last change told. */
export class MongoCredentialReader {
  readonly #ports: CredentialReaderPorts;

  constructor(ports: CredentialReaderPorts) {
    this.#ports = ports;
  }

  /**
   * Who holds the App Key with this hash; null when nobody does. Settles within about half a second; rejects with
   * `StoreUnavailable`, or with `CredentialUnreadable` where the key ring lacks the key of an App Secret.
   */
  async read(appKeyHash: string): Promise<HeldCredential | null> {
    const [documents, other] = await withFaults(async () => await this.#find(appKeyHash));
    if (documents === undefined) return null;
    const { faults } = this.#ports;
    const read = await this.#open(documents);
    for (const { collection, id } of read.right) faults.forget(collection, id);
    for (const fault of read.faults) faults.note(fault);
    const locked = read.faults.find(({ kind }) => kind === 'unknown-key');
    if (locked !== undefined) throw new CredentialUnreadable(describeFault(locked));
    if (other !== undefined) {
      const shared = describeShared(other.credential, documents.credential);
      faults.note(shared);
      throw new CredentialUnreadable(describeFault(shared));
    }
    return read.held;
  }

  async #find(appKeyHash: string): Promise<readonly HeldDocuments[]> {
    const { client, floor } = this.#ports;
    const session = client.startSession({ causalConsistency: true });
    try {
      floor.applyTo(session);
      const credentials = client.db().collection<RawDocument>(collectionNames.credentials);
      const options = {
        session,
        readConcern: { level: 'majority' },
        signal: AbortSignal.timeout(DEADLINE_MS),
      } as const;
      return await credentials.aggregate<HeldDocuments>(heldDocumentsOf(appKeyHash), options).toArray();
    } finally {
      await session.endSession();
    }
  }

  /** A ring that was rotated a moment ago is looked at once more before a secret counts as locked. */
  async #open(documents: HeldDocuments): Promise<ReadHeld> {
    const { keyRing } = this.#ports;
    const read = readHeld(documents, keyRing);
    const isLocked = read.faults.some(({ kind }) => kind === 'unknown-key');
    return isLocked && (await keyRing.reload()) ? readHeld(documents, keyRing) : read;
  }
}

/** Possible only without the unique index: nobody knows whose App Key it is. */
function describeShared(credential: RawDocument, other: RawDocument): DocumentFault {
  return {
    collection: collectionNames.credentials,
    id: describeId(credential['_id']),
    field: 'appKeyHash',
    problem: `the credential ${describeId(other['_id'])} has the same; both refuse until one is deleted and the unique index is back`,
    kind: 'malformed',
  };
}

/** One question instead of three: half the time, and half the work for this process. */
function heldDocumentsOf(appKeyHash: string): object[] {
  return [
    { $match: { appKeyHash } },
    { $limit: 2 },
    { $project: { _id: 0, credential: '$$ROOT' } },
    {
      $lookup: {
        from: collectionNames.consumers,
        localField: 'credential.consumerId',
        foreignField: '_id',
        as: 'consumers',
      },
    },
    {
      $lookup: {
        from: collectionNames.grants,
        localField: 'credential.consumerId',
        foreignField: 'consumerId',
        as: 'grants',
      },
    },
  ];
}
