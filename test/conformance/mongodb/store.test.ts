import assert from 'node:assert/strict';
import { type Db } from 'mongodb';
import { parseDocument } from '../../../src/resources/parse-document.ts';
import { buildState } from '../../../src/resources/build-state.ts';
import { Secret } from '../../../src/model/secret.ts';
import { followedCollections } from '../../../src/stores/mongodb/feed/follow-collection.ts';
import { ensureSchema } from '../../../src/stores/mongodb/migrate.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { poll } from '../../support/time/poll.ts';
import { idsOf, openStore, put, type Seed } from '../../integration/mongodb/support.ts';
import { describeStoreContract } from '../store.ts';

describe('MongoDB', () => {
  const database = useDatabase();

  describeStoreContract('of a database', async (document) => {
    await ensureSchema(database.db());
    const replace = async (text: string): Promise<void> => {
      await replaceState(database.db(), seedOf(text));
    };
    await replace(document);
    const opened = openStore(database.uri());
    return {
      checks: opened.checks,
      replace,
      spoil: async () => {
        await database
          .db()
          .collection<{ _id: string }>('endpoints')
          .updateOne({ _id: 'orders' }, { $set: { authentication: 'nonsense' } }, { bypassDocumentValidation: true });
        await poll('the faulty endpoint', () =>
          Promise.resolve(opened.checks.faultCount('endpoints') === 1 ? true : null),
        );
      },
      [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
    };
  });
});

/** The resources of a document, as commands would store them. */
function seedOf(text: string): Seed {
  const parsed = parseDocument([{ file: 'contract.yaml', text }], {
    isComplete: true,
    readSecret: () => ({ fault: 'the contract names none' }),
  });
  assert.ok('content' in parsed, JSON.stringify(parsed));
  const state = buildState(parsed.content);
  const appKeys = new Map(parsed.content.credentials.map(({ id, appKey }) => [id, appKey]));
  const credentials = state.credentials.map((each) => {
    const appKey = appKeys.get(each.id) ?? null;
    return { ...each, appKey: appKey === null ? null : Secret.fromText(appKey) };
  });
  return { ...state, credentials };
}

async function replaceState(db: Db, seed: Seed): Promise<void> {
  await put(db, seed);
  const kept = idsOf(seed);
  for (const name of followedCollections) {
    await db.collection<{ _id: string }>(name).deleteMany({ _id: { $nin: [...kept[name]] } });
  }
}
