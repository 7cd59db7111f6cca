import { MongoClient } from 'mongodb';
import { hashAppKey } from '../../src/model/app-key.ts';
import { ensureSchema } from '../../src/stores/mongodb/migrate.ts';
import { startReplicaSet } from '../../test/support/mongodb/replica-set.ts';
import { createRingFile } from '../../test/support/keyring/ring-file.ts';
import { startPostern } from '../../test/support/stack/postern-process.ts';
import { appKeyOf } from './seed.ts';

/**
 * When a replica on many credentials is ready, and when it knows all their App Keys.
 * `node_modules/.bin/tsc -p tsconfig.json`, then `node --import tsx bench/mongodb/app-key-reading.ts [COUNT]`; a million takes two minutes.
 */
const count = Number(process.argv[2] ?? 1_000_000);
const BATCH = 10_000;
const STARTS = 2;

await using set = await startReplicaSet({ args: ['--oplogSize', '990'] });
const uri = set.uri('bench');
await using ring = await createRingFile({ current: 1 });
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
  const since = (): string => `${((performance.now() - startMs) / 1000).toFixed(1)} s`;
  const settings = { POSTERN_STORE: uri, POSTERN_KEYRING: ring.path };
  await using replica = await startPostern('', settings, ['--max-old-space-size=640']);
  const ready = since();
  const { seconds } = await replica.logLine(({ message }) => String(message).startsWith('all App Keys are known'));
  return `ready after ${ready}, all ${String(count)} App Keys known after ${since()}; reading them took ${String(seconds)} s`;
}
