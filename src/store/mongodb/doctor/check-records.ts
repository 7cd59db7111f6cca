import type { Collection, Db } from 'mongodb';
import type { KeyRing } from '../../../keyring/key-ring.ts';
import { collectionNames } from '../documents.ts';
import { describeFault, type Mapped, type RawDocument } from '../mapping/document-fault.ts';
import { readConsumerDocument, readEndpointDocument, readGrantDocument } from '../mapping/records.ts';
import { readManagedCredentialDocument } from '../mapping/map-credential.ts';
import { findMatchCollisions } from '../../../route/collisions.ts';
import { fault, fine, type Finding, warning } from '../../../finding.ts';

/** What reading records needs. */
export interface RecordCheck {
  /** Null when there is no good key ring: credentials are then not read. */
  readonly keyRing: KeyRing | null;
  readonly isDeep: boolean;
}

/** Faulty records beyond these are counted, not reported one by one. */
const MAX_REPORTED = 20;

const FIX =
  'it is refused until then; fix it in the shell, or write it again with "postern apply" or the command of its kind';

/** Reads the records as `serve` would; endpoints always, the rest when asked for. Rejects as the driver does. */
export async function checkRecords(db: Db, { keyRing, isDeep }: RecordCheck): Promise<readonly Finding[]> {
  const endpoints = await checkEndpoints(db);
  const keys = keyRing === null ? [] : await checkSealKeys(db, keyRing);
  if (!isDeep) return withoutContradictions([...endpoints, ...keys]);
  const credentials =
    keyRing === null
      ? []
      : await checkEach(db.collection(collectionNames.credentials), (raw) =>
          readManagedCredentialDocument(raw, { sealer: keyRing, keepsUnopened: false }),
        );
  return withoutContradictions([
    ...endpoints,
    ...keys,
    ...(await checkEach(db.collection(collectionNames.consumers), readConsumerDocument)),
    ...credentials,
    ...(await checkEach(db.collection(collectionNames.grants), readGrantDocument)),
    ...(await checkParents(db)),
  ]);
}

/** Each check looks at its own part: what one finds right is not said of records that another finds wrong. */
function withoutContradictions(findings: readonly Finding[]): readonly Finding[] {
  const wrong = new Set(findings.filter(({ level }) => level !== 'ok').map(({ subject }) => subject));
  return findings.filter(({ level, subject }) => level !== 'ok' || !wrong.has(subject));
}

async function checkEndpoints(db: Db): Promise<readonly Finding[]> {
  const documents = await db.collection(collectionNames.endpoints).find({}).toArray();
  const read = documents.map(readEndpointDocument);
  const endpoints = read.flatMap((each) => ('value' in each ? [each.value] : []));
  const collisions = findMatchCollisions(endpoints).map(({ first, second, rule }) =>
    fault(
      'endpoints',
      `${first.id} and ${second.id} claim the same requests (${rule}): those are refused`,
      'change the match of one of them with "postern endpoint edit"',
    ),
  );
  return [...summarise(collectionNames.endpoints, read.length, faultsOf(read)), ...collisions];
}

async function checkEach(
  collection: Collection,
  read: (raw: RawDocument) => Mapped<unknown>,
): Promise<readonly Finding[]> {
  const faults: string[] = [];
  let count = 0;
  for await (const document of collection.find({}, { batchSize: 1000 })) {
    count += 1;
    faults.push(...faultsOf([read(document)]));
  }
  return summarise(collection.collectionName, count, faults);
}

function faultsOf(read: readonly Mapped<unknown>[]): readonly string[] {
  return read.flatMap((each) => ('fault' in each ? [describeFault(each.fault)] : []));
}

function summarise(subject: string, count: number, faults: readonly string[]): readonly Finding[] {
  if (faults.length === 0) return [fine(subject, `${String(count)} read, all are right`)];
  const shown = faults.slice(0, MAX_REPORTED).map((text) => fault(subject, text, FIX));
  const rest = faults.length - shown.length;
  return rest === 0
    ? shown
    : [...shown, fault(subject, `${String(rest)} more ${rest === 1 ? 'is' : 'are'} faulty`, FIX)];
}

/** Which keys of the ring the stored secrets need, without reading each record here. */
async function checkSealKeys(db: Db, keyRing: KeyRing): Promise<readonly Finding[]> {
  const credentials = db.collection(collectionNames.credentials);
  const used = new Map<string, number>();
  for (const field of ['appSecret', 'sealedAppKey', 'retiringSecret.appSecret']) {
    const groups = credentials.aggregate<{ readonly _id: unknown; readonly count: number }>([
      { $match: { [`${field}.keyId`]: { $type: 'string' } } },
      { $group: { _id: `$${field}.keyId`, count: { $sum: 1 } } },
    ]);
    for await (const { _id: keyId, count } of groups) used.set(String(keyId), (used.get(String(keyId)) ?? 0) + count);
  }
  const subject = 'sealed secrets';
  const former = [...used].filter(([keyId]) => keyId !== keyRing.currentKeyId);
  if (former.length === 0) return [fine(subject, 'all are sealed with the key in use')];
  return former.map(([keyId, count]) =>
    keyRing.keyIds.includes(keyId)
      ? warning(subject, `${sealedSecrets(count)} sealed with the former key ${keyId}`, 'run "postern keyring rewrap"')
      : fault(
          subject,
          `${sealedSecrets(count)} sealed with the key ${keyId}, which is not in the key ring: their callers get 503`,
          'add that key to the key ring (from its backup), or rotate those credentials',
        ),
  );
}

/** `1 is`, `2 are`. */
function sealedSecrets(count: number): string {
  return `${String(count)} ${count === 1 ? 'is' : 'are'}`;
}

/** Credentials and grants of no consumer or endpoint: they do nothing, but the database was changed by hand. */
async function checkParents(db: Db): Promise<readonly Finding[]> {
  const parents = [
    [collectionNames.credentials, 'consumerId', collectionNames.consumers],
    [collectionNames.grants, 'consumerId', collectionNames.consumers],
    [collectionNames.grants, 'endpointId', collectionNames.endpoints],
  ] as const;
  const findings: Finding[] = [];
  for (const [collection, localField, from] of parents) {
    const orphans = await db
      .collection(collection)
      .aggregate<{ readonly _id: unknown }>([
        { $lookup: { from, localField, foreignField: '_id', as: 'parents', pipeline: [{ $project: { _id: 1 } }] } },
        { $match: { parents: { $size: 0 } } },
        { $limit: MAX_REPORTED },
        { $project: { _id: 1 } },
      ])
      .toArray();
    for (const { _id: id } of orphans) {
      findings.push(
        warning(collection, `${String(id)} has a ${localField} that leads nowhere: it does nothing`, 'remove it'),
      );
    }
  }
  return findings;
}
