import type { Db } from 'mongodb';
import type { Clock } from '../../../base/clock.ts';
import type { KeyRing } from '../../../model/keyring/key-ring.ts';
import { Conflict } from '../../../resources/changes/resource-store.ts';
import type { LabelOwners } from '../../../model/label-owners.ts';
import { mongodbTlsFiles } from '../connect-tls.ts';
import { connectMongodb } from '../connect.ts';
import { MongodbUnavailable, type UnavailableReason, withFaults } from '../faults.ts';
import { findSchemaDifferences, repairSchema } from '../migrate.ts';
import type { SchemaDifference } from '../schema/differences.ts';
import { collectionOf } from '../documents.ts';
import { readRights } from '../rights.ts';
import { requireSchema } from '../schema/schema-version.ts';
import { checkTlsFiles } from '../../../wire/tls/check-tls-files.ts';
import { fault, fine, type Finding, findingsAbout, warning } from '../../../base/finding.ts';
import { checkBounds } from './check-bounds.ts';
import { checkEndings } from './check-endings.ts';
import { checkOpenGroups } from './check-open-groups.ts';
import { checkRecords } from './check-records.ts';
import { checkReplicas } from './check-replicas.ts';
import { checkRights } from './check-rights.ts';

/** What looking at a MongoDB store needs. */
export interface MongodbCheckPorts {
  readonly clock: Clock;
  /** Null when the key ring is missing or wrong, which is a finding of its own: secrets are then not opened. */
  readonly keyRing: KeyRing | null;
  /** Whether every record is read and every secret opened, which takes about a minute per million. */
  readonly isDeep: boolean;
  /** Whether collections and indexes that differ are fixed. */
  readonly isFixing: boolean;
  /** Which labels are reserved, and to whom. */
  readonly labelOwners: LabelOwners;
  readonly timeoutMs: number;
}

/**
 * Looks at a MongoDB store: the server, who may do what, its collections and what is in them. Never rejects for what
 * MongoDB does.
 */
export async function checkMongodb(uri: string, ports: MongodbCheckPorts): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  try {
    findings.push(...(await checkFiles(uri, ports.clock)));
    await probe(uri);
    const use = ports.isFixing ? 'migration' : 'commands';
    await using client = connectMongodb(uri, use, { timeoutMs: ports.timeoutMs });
    const db = client.db();
    findings.push(...(await withFaults(() => checkServer(db, client.options.tls, ports))));
    if (ports.isFixing) findings.push(fine(COLLECTIONS, outcomes[await repairSchema(db)]));
    const schema = await withFaults(() => checkSchema(db));
    findings.push(...schema);
    if (schema.every(({ cause }) => cause !== 'schema')) {
      findings.push(...(await ifAllowed('records', () => checkRecords(db, ports))));
      findings.push(...(await ifAllowed('bounds', () => checkBounds(db, ports))));
      findings.push(...(await ifAllowed('grants for groups', () => checkOpenGroups(db, ports.labelOwners))));
      findings.push(...(await ifAllowed('what ends soon', () => checkEndings(db, ports.clock))));
      findings.push(...(await withFaults(() => checkReplicas(db, ports.timeoutMs))));
    }
  } catch (error) {
    findings.push(findingOf(error));
  }
  return findings;
}

/**
 * What a user may not read is not looked at, which is no fault: `serve` has fewer rights than doctor would read with,
 * and rights that it needs are a finding of their own.
 */
async function ifAllowed(subject: string, check: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await withFaults(check);
  } catch (error) {
    if (!(error instanceof MongodbUnavailable) || error.reason !== 'forbidden') throw error;
    const message = 'not looked at: this user may not read all that it takes';
    return [warning(subject, message, 'run doctor as an operator (role posternOperator)')];
  }
}

function findingOf(error: unknown): Finding {
  if (error instanceof Conflict) return fault(COLLECTIONS, error.message, 'then run "postern doctor --fix" again');
  if (!(error instanceof MongodbUnavailable)) throw error;
  const found = fault(SUBJECT, error.message, advice[error.reason] ?? UNREACHABLE_ADVICE);
  return UNREACHABLE.includes(error.reason) ? { ...found, cause: 'unreachable' } : found;
}

/** Looks at the TLS files that the address names. Those that cannot be used are reported when connecting. */
async function checkFiles(uri: string, clock: Clock): Promise<readonly Finding[]> {
  const files = mongodbTlsFiles(connectMongodb(uri, 'checks').options);
  if (files === null) return [];
  const { findings, material } = await checkTlsFiles(files, { clock, isServer: false });
  return material === null ? [] : findings;
}

/** Rejects within about a second when no server answers; commands would wait as long as an election takes. */
async function probe(uri: string): Promise<void> {
  await using client = connectMongodb(uri, 'checks');
  await withFaults(() => client.db().command({ hello: 1 }));
}

const UNREACHABLE: readonly UnavailableReason[] = ['unreachable', 'slow', 'no-primary', 'not-initiated'];

const UNREACHABLE_ADVICE =
  'check that the servers run and that this machine reaches them; serve continues with the callers it knows';

/** What to do about each reason; that of the others is {@link UNREACHABLE_ADVICE}. */
const advice: Partial<Readonly<Record<UnavailableReason, string>>> = {
  'not-initiated': 'a new set: mongosh --eval "rs.initiate()" on one of its members; a former member: restart it',
  'other-set': 'correct replicaSet in POSTERN_STORE; mongosh --eval "db.hello().setName" shows the name',
  'no-primary': 'wait for the election, and see that most members of the replica set run: rs.status()',
  denied: 'correct POSTERN_STORE',
  address: 'correct POSTERN_STORE',
  files: 'correct the file, or the option of POSTERN_STORE that names it',
  forbidden: 'give the user the role that deploy/mongodb/roles.js makes',
};

const SUBJECT = 'MongoDB';

/** From here a clock makes changes count late or early, in milliseconds. */
const CLOCK_WARNING_MS = 2000;
/** From here signatures in their time window are refused, in milliseconds. */
const CLOCK_FAULT_MS = 60_000;

/** Looks at the server itself: its kind, its clock, who may do what, who can listen. Rejects as the driver does. */
async function checkServer(
  db: Db,
  isTls: boolean,
  { clock, isFixing }: Pick<MongodbCheckPorts, 'clock' | 'isFixing'>,
): Promise<readonly Finding[]> {
  const before = clock.nowMs();
  const hello = await db.command({ hello: 1 });
  const after = clock.nowMs();
  const setName: unknown = hello['setName'];
  const found = findingsAbout(SUBJECT);
  if (typeof setName === 'string') found.all.push(fine(SUBJECT, `answers as the replica set ${setName}`));
  else if (hello['msg'] === 'isdbgrid') found.all.push(fine(SUBJECT, 'answers as a sharded cluster'));
  found.warnIf(typeof setName !== 'string' && hello['msg'] !== 'isdbgrid', {
    message:
      'is a stand-alone server: changes reach replicas in seconds instead of at once, and commands refuse to make any',
    advice: 'make it a replica set; one node is enough: mongod --replSet rs0, then rs.initiate()',
  });
  found.all.push(...checkClock(hello['localTime'], (before + after) / 2));
  const rights = await readRights(db);
  if (rights !== null) found.all.push(...checkRights(rights, { database: db.databaseName, isFixing }));
  found.warnIf(rights === null && (await mayReadWithoutLogin(db)), {
    message: 'takes this connection without a login: anyone who reaches it can read and change everything',
    advice: 'switch authorization on, and create users with deploy/mongodb/roles.js',
  });
  found.warnIf(!isTls && !isLoopback(hello['me']), {
    message: 'is called without TLS: App Keys and sealed secrets can be read on the way',
    advice: 'add tls=true&tlsCAFile=… to the address',
  });
  return found.all;
}

/** A server with authorization answers a connection without a login, too, and lets it read nothing. */
async function mayReadWithoutLogin(db: Db): Promise<boolean> {
  try {
    await withFaults(() => collectionOf(db, 'meta').findOne({}));
    return true;
  } catch (error) {
    if (error instanceof MongodbUnavailable && error.reason === 'forbidden') return false;
    throw error;
  }
}

function checkClock(localTime: unknown, nowMs: number): readonly Finding[] {
  if (!(localTime instanceof Date)) return [];
  const aheadMs = Math.round(localTime.getTime() - nowMs);
  const shown = `${(Math.abs(aheadMs) / 1000).toFixed(1)} s ${aheadMs > 0 ? 'behind' : 'ahead of'}`;
  const message = `the clock of this machine is ${shown} that of MongoDB`;
  const advice = 'let both follow a time service (NTP); signatures are valid for minutes only';
  if (Math.abs(aheadMs) >= CLOCK_FAULT_MS) return [fault('clock', message, advice)];
  if (Math.abs(aheadMs) >= CLOCK_WARNING_MS) return [warning('clock', message, advice)];
  return [fine('clock', 'agrees with that of MongoDB')];
}

function isLoopback(me: unknown): boolean {
  return typeof me !== 'string' || /^(127\.|\[?::1|localhost)/.test(me);
}

const COLLECTIONS = 'collections';
const FIX = 'run "postern doctor --fix" as a user with the role posternMigrator';

const outcomes = {
  current: 'validators and indexes were compared, and fixed where they differed',
  created: 'were created',
  migrated: 'were brought up to date',
} as const;

/** Compares collections, validators and indexes with those of this version. Rejects with `StoreUnavailable`. */
async function checkSchema(db: Db): Promise<readonly Finding[]> {
  try {
    await withFaults(() => requireSchema(db));
  } catch (error) {
    if (!(error instanceof MongodbUnavailable) || error.reason !== 'schema') throw error;
    return [{ ...fault(COLLECTIONS, error.message, FIX), cause: 'schema' }];
  }
  try {
    const differences = await findSchemaDifferences(db);
    if (differences.length > 0)
      return differences.map((difference) => fault(COLLECTIONS, schemaFault(difference), FIX));
    return [fine(COLLECTIONS, 'are those of this version, with their validators and indexes')];
  } catch (error) {
    if (!(error instanceof MongodbUnavailable) || error.reason !== 'forbidden') throw error;
    const message =
      'have the right version; this user may not list collections and indexes, so those were not compared';
    return [warning(COLLECTIONS, message, 'run doctor as an operator (role posternOperator) to compare them')];
  }
}

function schemaFault(difference: SchemaDifference): string {
  const { what, collection } = difference;
  if (what === 'collection') return `${collection} is missing`;
  if (what === 'validator') return `${collection} has another validator: nonsense can be stored`;
  return `${collection} ${difference.isThereOtherwise ? 'has another' : 'lacks the'} index ${difference.index}: look-ups are slow, or App Keys or priorities not unique`;
}
