import { MongoClient } from 'mongodb';
import { compileCatalog } from '../../src/check/route/endpoint-table.ts';
import {
  readConsumerDocument,
  readEndpointDocument,
  readGrantDocument,
} from '../../src/stores/mongodb/mapping/records.ts';
import { readCredentialDocument } from '../../src/stores/mongodb/mapping/map-credential.ts';
import type { Mapped, RawDocument } from '../../src/stores/mongodb/mapping/document-fault.ts';
import { benchRing } from './bench-ring.ts';
import { openBenchStore } from './open-bench-store.ts';
import { appKeyOf } from './seed.ts';

/** One start in a process of its own: `start-one.ts read-through|load-all URI COUNT`. Writes one line of JSON. */
const [way = '', uri = '', count = '0'] = process.argv.slice(2);
const startMs = performance.now();
const find = way === 'load-all' ? await loadAll() : await readThrough();
const readyMs = performance.now() - startMs;
const held = await find(appKeyOf(Number(count) - 1));
const firstAnswerMs = performance.now() - startMs;
const { rss } = process.memoryUsage();
const peak = process.resourceUsage().maxRSS * 1024;
process.stdout.write(`${JSON.stringify({ readyMs, firstAnswerMs, rss, peak, found: held !== null })}\n`);
process.exit(0);

async function readThrough(): Promise<(appKey: string) => Promise<unknown>> {
  const store = openBenchStore(uri);
  await store.ready;
  return async (appKey) => await store.current().credentials.findByAppKey(appKey);
}

async function loadAll(): Promise<(appKey: string) => Promise<unknown>> {
  const client = new MongoClient(uri);
  const ring = benchRing();
  const all = async <T>(name: string, read: (document: RawDocument) => Mapped<T>): Promise<T[]> => {
    const values: T[] = [];
    for await (const document of client.db().collection(name).find({}, { batchSize: 1000 })) {
      const mapped = read(document);
      if ('value' in mapped) values.push(mapped.value);
    }
    return values;
  };
  const state = {
    endpoints: await all('endpoints', readEndpointDocument),
    consumers: await all('consumers', readConsumerDocument),
    credentials: await all('credentials', (document) => readCredentialDocument(document, ring)),
    grants: await all('grants', readGrantDocument),
    plans: [],
    issuers: [],
  };
  const catalog = compileCatalog(state);
  return async (appKey) => await catalog.credentials.findByAppKey(appKey);
}
