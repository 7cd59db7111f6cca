import assert from 'node:assert/strict';
import { setMaxListeners } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { acquireAll } from '../../test/support/lifetime/release.ts';
import { temporaryDirectory } from '../../test/support/lifetime/temporary-directory.ts';
import { withClient } from '../../test/support/mongodb/command.ts';
import { runCli } from '../../test/unit/cli/run-cli.ts';
import { connectReplica } from './ask-replica.ts';
import { ALLOWED, type Asked, type Changed, type History, type Promises } from './history.ts';
import { makeNetwork, type Network } from './network.ts';
import { readCounted, readFinal } from './outcome.ts';
import { partitionAtRandom } from './partitions.ts';
import { seededRandom } from './random.ts';
import { ELECTION_TIMEOUT_MS, startMembers, startReplicaOn } from './servers.ts';
import { editLabels, issueAndRevoke, sendSigned, type Signer } from './workload.ts';

/** A fault that is put in, so that the judge has something to find; by the promise that it breaks. */
export const plants = ['once', 'revoked', 'kept', 'counted'] as const;
export type Plant = (typeof plants)[number];

export interface RecordOptions {
  readonly seconds: number;
  /** Of the partitions and the calls. */
  readonly seed: number;
  readonly plant: Plant | null;
  /** Ends the recording early; what was started is removed. */
  readonly stop: AbortSignal;
  readonly report: (text: string) => void;
}

const MAX_STALE_SECONDS = 8;
const MEMBERS = ['m1', 'm2', 'm3'] as const;
const REPLICAS = ['r1', 'r2'] as const;
const CONSUMERS = ['acme', 'globex', 'initech'] as const;
const [FIRST] = CONSUMERS;

/**
 * What the documents promise here: what nothing confirms serves for `POSTERN_MAX_STALE_SECONDS`, and a primary that was
 * cut off confirms until it notices that, in the time of an election. A replica notices within a second.
 */
export const promises: Promises = { revokedWithinMs: (MAX_STALE_SECONDS + 1) * 1000 + ELECTION_TIMEOUT_MS };

function documentOf(plant: Plant | null): string {
  const isOnce = String(plant !== 'once');
  return `version: 1
endpoints:
  - { id: keyed, scenario: partner-openapi, match: { paths: [{ prefix: /keyed }] }, authentication: key }
  - id: signed
    scenario: partner-openapi
    match: { paths: [{ prefix: /signed }] }
    authentication: hmac
    options: { replayProtection: ${isOnce} }
consumers:
${CONSUMERS.map((id) => `  - { id: ${id}, labels: { count: "0" } }`).join('\n')}
`;
}

/** Records what partners and operators see while the network between the servers breaks. */
export async function recordHistory({ seconds, seed, plant, stop, report }: RecordOptions): Promise<History> {
  const random = seededRandom(seed);
  await using parts = await acquireAll(async (keep) => {
    const { path: folder } = keep(await temporaryDirectory());
    const network = keep(await makeNetwork([...MEMBERS, ...REPLICAS]));
    const hostsOf = (names: readonly string[]) => network.hosts.filter(({ name }) => names.includes(name));
    const mongodb = keep(await startMembers(hostsOf(MEMBERS)));
    const environment = {
      POSTERN_STORE: mongodb.uri,
      POSTERN_KEYRING: join(folder, 'keyring.yaml'),
      POSTERN_ACTOR: 'ops',
    };
    const postern = async (...args: readonly string[]): Promise<string> => {
      const { code, out, err } = await runCli(args, environment);
      assert.equal(code, 0, `postern ${args.join(' ')}: ${err}`);
      return out;
    };
    await postern('keyring', 'create', environment.POSTERN_KEYRING);
    const file = join(folder, 'postern.yaml');
    await writeFile(file, documentOf(plant));
    await postern('apply', '-f', file);
    const stale = plant === 'revoked' ? 3600 : MAX_STALE_SECONDS;
    const settings = { ...environment, POSTERN_MAX_STALE_SECONDS: String(stale) };
    const replicas = await Promise.all(
      hostsOf(REPLICAS).map(async (host) => keep(await startReplicaOn(host, { folder, settings }))),
    );
    const clients = await Promise.all(replicas.map(async ({ socket }) => keep(await connectReplica(socket))));
    return { network, mongodb, environment, postern, replicas, clients };
  });
  const { network, mongodb, environment, postern, replicas, clients } = parts;

  const signers: Signer[] = [];
  for (const consumer of CONSUMERS) {
    const credential = `${consumer}-hmac`;
    const issued = await postern(
      ...['credential', 'issue', '--consumer', consumer, '--method', 'hmac', '--id', credential, '-o', 'json'],
    );
    const { appKey, appSecret } = JSON.parse(issued) as { readonly appKey: string; readonly appSecret: string };
    signers.push({ consumer, credential, appKey, secret: appSecret });
  }

  const asked: Asked[] = [];
  const changed: Changed[] = [];
  // One controller: Node.js 20 may forget a signal that AbortSignal.any made of others.
  const ended = new AbortController();
  const { signal } = ended;
  const end = (): void => {
    ended.abort();
  };
  const timer = setTimeout(end, seconds * 1000);
  stop.addEventListener('abort', end);
  // Every caller waits for it.
  setMaxListeners(0, signal);
  const { revokedWithinMs } = promises;
  const workload = { clients, environment, random, revokedWithinMs, signal, asked, changed };
  const work = [
    ...signers.map((signer) => sendSigned(workload, signer)),
    ...CONSUMERS.flatMap((consumer) => [editLabels(workload, consumer), issueAndRevoke(workload, consumer)]),
    plant === 'revoked'
      ? isolateWhenUsed(network, asked, signal)
      : partitionAtRandom({ network, mongodb, members: MEMBERS, replicas: REPLICAS }, random, { signal, report }),
  ];
  for (const each of work) each.catch(end);
  const endings = await Promise.allSettled(work);
  clearTimeout(timer);
  stop.removeEventListener('abort', end);
  for (const each of endings) if (each.status === 'rejected') throw each.reason;

  await network.heal();
  // A replica that has reported again has its connections back; ended in order, it writes what it counted.
  await postern('wait', '--timeout', '60s');
  for (const replica of replicas) await replica.stop();
  if (plant === 'kept' || plant === 'counted') await tamper(mongodb.uri, plant);
  return { asked, changed, final: await readFinal(postern), counted: await readCounted(postern) };
}

/** Cuts the second replica off, once it has allowed each key of the first round. */
async function isolateWhenUsed(network: Network, asked: readonly Asked[], signal: AbortSignal): Promise<void> {
  const isUsed = (consumer: string): boolean =>
    asked.some((each) => each.replica === 1 && each.consumer === consumer && each.outcome === ALLOWED && isKey(each));
  while (!signal.aborted && !CONSUMERS.every(isUsed)) await delay(10);
  await network.isolate(['r2']);
}

const isKey = ({ signature }: Asked): boolean => signature === null;

/** Changes the database behind Postern's back. */
async function tamper(uri: string, plant: 'kept' | 'counted'): Promise<void> {
  await withClient(uri, async (client) => {
    const database = client.db();
    if (plant === 'counted') await database.collection('traffic').deleteMany({ consumerId: FIRST });
    else
      await database
        .collection<{ _id: string }>('consumers')
        .updateOne({ _id: FIRST }, { $set: { 'labels.count': '0' } });
  });
}
