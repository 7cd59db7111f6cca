import type { Collection, Db, Document } from 'mongodb';
import type { KeyRing } from '../../../model/keyring/key-ring.ts';
import { type CollectionName, forGroups } from '../documents.ts';
import { groupGrantDirectory, issuerDirectory, planDirectory, type RecordDirectory } from '../feed/record-directory.ts';
import { describeFault, type Mapped, type RawDocument } from '../mapping/document-fault.ts';
import { readConsumerDocument, readEndpointDocument, readGrantDocument } from '../mapping/records.ts';
import { readManagedCredentialDocument } from '../mapping/map-credential.ts';
import { countSealed } from '../rewrap-secrets.ts';
import { findMatchCollisions } from '../../../check/route/collisions.ts';
import { fault, fine, type Finding, warning } from '../../../base/finding.ts';

/** Faulty records beyond these are counted, not reported one by one. */
const MAX_REPORTED = 20;

const FIX =
  'it is refused until then; fix it in the shell, or write it again with "postern apply" or the command of its kind';

/**
 * Reads the records as `serve` would; those that it keeps in memory always, the rest when `isDeep`. Without a good key
 * ring (null) credentials are not read. Rejects as the driver does.
 */
export async function checkRecords(
  db: Db,
  { keyRing, isDeep }: { readonly keyRing: KeyRing | null; readonly isDeep: boolean },
): Promise<readonly Finding[]> {
  const findings = [
    ...(await checkEndpoints(db)),
    ...(await checkWhole(
      db,
      { collection: 'grants', what: 'grants for groups', filter: forGroups },
      groupGrantDirectory(),
    )),
    ...(await checkWhole(db, { collection: 'plans' }, planDirectory())),
    ...(await checkWhole(db, { collection: 'issuers' }, issuerDirectory())),
  ];
  if (keyRing !== null) findings.push(...(await checkSealKeys(db, keyRing)));
  if (isDeep) {
    findings.push(...(await checkEach(db.collection('consumers'), readConsumerDocument)));
    if (keyRing !== null) {
      const reading = { sealer: keyRing, keepsUnopened: false };
      const read = (raw: RawDocument): Mapped<unknown> => readManagedCredentialDocument(raw, reading);
      findings.push(...(await checkEach(db.collection('credentials'), read)));
    }
    findings.push(
      ...(await checkEach(db.collection('grants'), readGrantDocument, ownOnly)),
      ...(await checkParents(db)),
    );
  }
  // Each check covers its own part: what one finds right is not said of records that another finds wrong.
  const wrong = new Set(findings.filter(({ level }) => level !== 'ok').map(({ subject }) => subject));
  return findings.filter(({ level, subject }) => level !== 'ok' || !wrong.has(subject));
}

async function checkEndpoints(db: Db): Promise<readonly Finding[]> {
  const documents = await db.collection('endpoints').find({}).toArray();
  const read = documents.map(readEndpointDocument);
  const endpoints = read.flatMap((each) => ('value' in each ? [each.value] : []));
  const collisions = findMatchCollisions(endpoints).map(({ first, second, rule }) =>
    fault(
      'endpoints',
      `${first.id} and ${second.id} claim the same requests (${rule}): those are refused`,
      'change the match of one of them with "postern endpoint edit"',
    ),
  );
  return [...summarise('endpoints', read.length, faultsOf(read)), ...collisions];
}

/** Grants that are not for groups. */
const ownOnly = { consumerSelector: { $exists: false } };

/** Also that no two have the same of what is unique, which an index sees to while it is there. */
async function checkWhole(
  db: Db,
  { collection, what = collection, filter = {} }: { collection: CollectionName; what?: string; filter?: Document },
  directory: Pick<RecordDirectory<unknown>, 'replaceAll' | 'read'>,
): Promise<readonly Finding[]> {
  const documents = await db.collection<RawDocument>(collection).find(filter).toArray();
  if (documents.length === 0) return [];
  directory.replaceAll(documents);
  return summarise(what, documents.length, directory.read().faults.map(describeFault));
}

async function checkEach(
  collection: Collection,
  read: (raw: RawDocument) => Mapped<unknown>,
  filter: Document = {},
): Promise<readonly Finding[]> {
  const faults: string[] = [];
  let count = 0;
  for await (const document of collection.find(filter, { batchSize: 1000 })) {
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

/** Which keys of the ring the stored secrets need, counted by the server. */
async function checkSealKeys(db: Db, keyRing: KeyRing): Promise<readonly Finding[]> {
  const subject = 'sealed secrets';
  const former = [...(await countSealed(db))].filter(([keyId]) => keyId !== keyRing.currentKeyId);
  if (former.length === 0) return [fine(subject, 'all are sealed with the key in use')];
  return former.map(([keyId, count]) => {
    const sealed = `${String(count)} ${count === 1 ? 'is' : 'are'} sealed with the`;
    return keyRing.keyIds.includes(keyId)
      ? warning(subject, `${sealed} former key ${keyId}`, 'run "postern keyring rewrap"')
      : fault(
          subject,
          `${sealed} key ${keyId}, which is not in the key ring: their callers get 503`,
          'add that key to the key ring (from its backup), or rotate those credentials',
        );
  });
}

/** Credentials and grants of no consumer or endpoint: they do nothing, but the database was changed by hand. */
async function checkParents(db: Db): Promise<readonly Finding[]> {
  const parents = [
    ['credentials', 'consumerId', 'consumers'],
    ['grants', 'consumerId', 'consumers'],
    ['grants', 'endpointId', 'endpoints'],
  ] as const;
  const findings: Finding[] = [];
  for (const [collection, localField, from] of parents) {
    const orphans = await db
      .collection(collection)
      .aggregate<{ readonly _id: unknown }>([
        // A grant for a group has no consumer.
        ...(localField === 'consumerId' ? [{ $match: ownOnly }] : []),
        { $lookup: { from, localField, foreignField: '_id', as: 'parents', pipeline: [{ $project: { _id: 1 } }] } },
        { $match: { parents: { $size: 0 } } },
        { $limit: MAX_REPORTED },
        { $project: { _id: 1 } },
      ])
      .toArray();
    for (const { _id: id } of orphans) {
      findings.push(
        warning(collection, `${String(id)} has a ${localField} that does not exist: it has no effect`, 'remove it'),
      );
    }
  }
  return findings;
}
