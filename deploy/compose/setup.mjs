// Prepares a new MongoDB for Postern. compose.yaml runs it once; running it again is harmless.
//
//   POSTERN_STORE=… POSTERN_KEYRING=… node setup.mjs FILE    FILE contains endpoints and partners
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { MongoClient, MongoServerError } from 'mongodb';

const store = new URL(process.env.POSTERN_STORE);
const keyRing = process.env.POSTERN_KEYRING;
const [partners] = process.argv.slice(2);
/** The `postern` command of this package. */
const entry = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const patienceMs = 60_000;
const alreadyInitialized = 23;

/** Initiates a replica set of one server, and waits until it accepts writes. */
async function initiateReplicaSet() {
  const client = new MongoClient(`mongodb://${store.host}/?directConnection=true`, {
    serverSelectionTimeoutMS: patienceMs,
  });
  try {
    const admin = client.db('admin');
    const members = [{ _id: 0, host: store.host }];
    await admin.command({ replSetInitiate: { _id: store.searchParams.get('replicaSet'), members } }).catch((error) => {
      if (!(error instanceof MongoServerError && error.code === alreadyInitialized)) throw error;
    });
    const deadline = AbortSignal.timeout(patienceMs);
    while (!(await admin.command({ hello: 1 })).isWritablePrimary) {
      deadline.throwIfAborted();
      await setTimeout(200);
    }
  } finally {
    await client.close();
  }
}

function postern(...args) {
  console.log(`$ postern ${args.join(' ')}`);
  const { status } = spawnSync(process.execPath, [entry, ...args], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

await initiateReplicaSet();
if (!existsSync(keyRing)) postern('keyring', 'create', keyRing);
postern('doctor', '--fix');
postern('apply', '-f', partners);
