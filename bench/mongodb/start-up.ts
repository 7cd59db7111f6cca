import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { MongoClient } from 'mongodb';
import { ensureSchema } from '../../src/stores/mongodb/migrate.ts';
import { startReplicaSet } from '../../test/support/mongodb/replica-set.ts';
import { benchRing } from './bench-ring.ts';
import { seed } from './seed.ts';

/**
 * How long a gateway takes to be ready with many consumers, and how much memory: reading through a cache, as it does,
 * beside loading everything. `node --import tsx bench/mongodb/start-up.ts [COUNT]`; 1 000 000 takes about five minutes.
 */
const count = Number(process.argv[2] ?? 1_000_000);
const program = fileURLToPath(new URL('start-one.ts', import.meta.url));
const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MiB`;
const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;

await using set = await startReplicaSet({ args: ['--oplogSize', '990'] });
const uri = set.uri('bench');
{
  await using client = new MongoClient(uri);
  await ensureSchema(client.db());
  const startMs = performance.now();
  await seed(client.db(), count, benchRing());
  console.log(`${String(count)} consumers, credentials and grants made in ${seconds(performance.now() - startMs)}`);
}
for (const way of ['read-through', 'load-all', 'read-through', 'load-all']) {
  const args = ['--max-old-space-size=6000', '--import', 'tsx', program, way, uri, String(count)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const result = JSON.parse(stdout) as Record<'readyMs' | 'firstAnswerMs' | 'rss' | 'peak', number> & {
    found: boolean;
  };
  if (!result.found) throw new Error('the last credential was not found');
  console.log(
    `${way.padEnd(12)} ready ${seconds(result.readyMs)}, first credential ${seconds(result.firstAnswerMs)}, ` +
      `memory ${mebibytes(result.rss)}, at most ${mebibytes(result.peak)}`,
  );
}
