import type { MongoClient } from 'mongodb';
import type { Clock } from '../../clock.ts';
import type { KeyRing } from '../../keyring/key-ring.ts';
import { Conflict } from '../../manage/resource-store.ts';
import { connectMongodb } from '../../store/mongodb/connect.ts';
import { mongodbTlsFiles } from '../../store/mongodb/connect-tls.ts';
import { MongodbUnavailable, type UnavailableReason, withFaults } from '../../store/mongodb/faults.ts';
import { fault, type Finding } from '../finding.ts';
import { checkTlsFiles } from '../check-tls-files.ts';
import { checkRecords } from './check-records.ts';
import { checkSchema, fixSchema } from './check-schema.ts';
import { checkServer } from './check-server.ts';

/** What looking at a MongoDB store needs. */
export interface MongodbCheckPorts {
  readonly clock: Clock;
  /** Null when the key ring is missing or wrong, which is a finding of its own: secrets are then not opened. */
  readonly keyRing: KeyRing | null;
  /** Whether every record is read and every secret opened, which takes about a minute per million. */
  readonly isDeep: boolean;
  /** Whether collections and indexes that differ are mended. */
  readonly isFixing: boolean;
  /** How long the server is waited for. */
  readonly timeoutMs: number;
}

/** Looks at a MongoDB store: the server, who may do what, its collections and what is in them. Never rejects for what MongoDB does. */
export async function checkMongodb(uri: string, ports: MongodbCheckPorts): Promise<readonly Finding[]> {
  let client: MongoClient | null = null;
  const files: Finding[] = [];
  try {
    files.push(...(await checkFiles(uri, ports.clock)));
    await probe(uri);
    client = connectMongodb(uri, ports.isFixing ? 'migration' : 'commands', { timeoutMs: ports.timeoutMs });
    const { options } = client;
    const db = client.db();
    const server = await withFaults(async () => await checkServer(db, { isTls: options.tls, clock: ports.clock }));
    const fixed = ports.isFixing ? [await fixSchema(db)] : [];
    const schema = await withFaults(async () => await checkSchema(db));
    if (schema.some(({ cause }) => cause === 'schema')) return [...files, ...server, ...fixed, ...schema];
    const records = await withFaults(async () => await checkRecords(db, ports));
    return [...files, ...server, ...fixed, ...schema, ...records];
  } catch (error) {
    if (error instanceof Conflict)
      return [...files, fault('collections', error.message, 'then run "postern doctor --fix" again')];
    if (!(error instanceof MongodbUnavailable)) throw error;
    const found = fault('MongoDB', error.message, adviceFor(error));
    return [...files, UNREACHABLE.includes(error.reason) ? { ...found, cause: 'unreachable' } : found];
  } finally {
    await client?.close();
  }
}

/** Looks at the TLS files that the address names. Those that cannot be used are told by connecting. */
async function checkFiles(uri: string, clock: Clock): Promise<readonly Finding[]> {
  const files = mongodbTlsFiles(connectMongodb(uri, 'checks').options);
  if (files === null) return [];
  const { findings, material } = await checkTlsFiles(files, { clock, isServer: false });
  return material === null ? [] : findings;
}

/** Rejects within about a second when nobody answers, where the patience of commands would last for an election. */
async function probe(uri: string): Promise<void> {
  const client = connectMongodb(uri, 'checks');
  try {
    await withFaults(async () => await client.db().command({ hello: 1 }));
  } finally {
    await client.close();
  }
}

const UNREACHABLE: readonly UnavailableReason[] = ['unreachable', 'slow', 'no-primary', 'not-initiated'];

function adviceFor({ reason }: MongodbUnavailable): string {
  if (reason === 'not-initiated') return 'mongosh --eval "rs.initiate()" on one of its members; docs/mongodb.md';
  if (reason === 'other-set')
    return 'correct replicaSet in POSTERN_STORE; mongosh --eval "db.hello().setName" shows the name';
  if (reason === 'no-primary')
    return 'wait for the election, and see that most members of the replica set run: rs.status()';
  if (reason === 'denied' || reason === 'address') return 'correct POSTERN_STORE';
  if (reason === 'files') return 'correct the file, or the option of POSTERN_STORE that names it';
  if (reason === 'forbidden') return 'give the user the role that deploy/mongodb/roles.js makes';
  return 'check that the servers run and that this machine reaches them; serve goes on with callers it knows meanwhile';
}
