import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';
import { hashAppKey } from '../../src/model/app-key.ts';
import { ensureSchema } from '../../src/store/mongodb/migrate.ts';
import { startReplicaSet } from '../../test/support/mongodb/replica-set.ts';
import { ringText } from '../../test/support/keyring/test-key-ring.ts';
import { appKeyOf } from './seed.ts';

/**
 * When a replica on many credentials is ready, and when it knows all their App Keys.
 * `npx tsc -p tsconfig.json`, then `node --import tsx bench/mongodb/app-key-reading.ts [COUNT]`; a million takes two minutes.
 */
const count = Number(process.argv[2] ?? 1_000_000);
const BATCH = 10_000;
const STARTS = 2;
const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

await using set = await startReplicaSet({ args: ['--oplogSize', '990'] });
const uri = set.uri('bench');
{
  await using client = new MongoClient(uri);
  await ensureSchema(client.db());
  const credentials = client.db().collection<{ _id: string }>('credentials');
  for (let start = 0; start < count; start += BATCH) {
    const documents = Array.from({ length: Math.min(BATCH, count - start) }, (_, index) => ({
      _id: `credential-${String(start + index)}`,
      appKeyHash: hashAppKey(appKeyOf(start + index)),
    }));
    await credentials.insertMany(documents, { ordered: false, bypassDocumentValidation: true });
  }
}
for (let start = 0; start < STARTS; start += 1) console.log(await startOnce());

async function startOnce(): Promise<string> {
  const startMs = performance.now();
  const replica = spawn(process.execPath, ['--max-old-space-size=640', main, 'serve'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...{ POSTERN_STORE: uri, POSTERN_KEYRING: 'env:KEY_RING', KEY_RING: ringText(1) },
      ...{ POSTERN_GRPC_ADDRESS: '127.0.0.1:0', POSTERN_HTTP_ADDRESS: '127.0.0.1:0' },
      POSTERN_ADMIN_ADDRESS: '127.0.0.1:0',
    },
  });
  const since = (): string => `${((performance.now() - startMs) / 1000).toFixed(1)} s`;
  let ready = '';
  try {
    for await (const line of createInterface(replica.stdout)) {
      const { message, seconds } = JSON.parse(line) as { readonly message: string; readonly seconds?: number };
      if (message === 'ready') ready = since();
      if (!message.startsWith('all App Keys are known')) continue;
      return `ready after ${ready}, all ${String(count)} App Keys known after ${since()}; reading them took ${String(seconds)} s`;
    }
  } finally {
    replica.kill();
  }
  throw new Error('the replica ended');
}
