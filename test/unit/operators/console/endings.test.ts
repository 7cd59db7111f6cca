import assert from 'node:assert/strict';
import { hashAppKey } from '../../../../src/model/app-key.ts';
import { consumerDefaults } from '../../../../src/model/consumer.ts';
import { Secret } from '../../../../src/model/secret.ts';
import { NOW, TestConsole } from '../../../support/console/test-console.ts';
import { MemoryResourceStore } from '../../../support/manage/memory-resource-store.ts';
import { credential } from '../../../support/pipeline/resources.ts';

const day = 86_400;
const clock = { nowSeconds: () => NOW - 100 * day, nowMs: () => (NOW - 100 * day) * 1000, elapsedMs: () => 0 };

describe('console: what runs out', () => {
  let console: TestConsole;
  let store: MemoryResourceStore;
  before(() => {
    const ids = Array.from({ length: 6000 }, (_, index) => `c-${String(index).padStart(4, '0')}`);
    store = new MemoryResourceStore(
      {
        consumers: ids.map((id) => ({ ...consumerDefaults, id })),
        credentials: ids.map((id, index) => {
          const appKey = Secret.fromText(id);
          const expiresAt = index >= 5998 ? NOW + 5 * day : null;
          return { ...credential({ id, consumerId: id, expiresAt }), appKey, appKeyHash: hashAppKey(id) };
        }),
      },
      clock,
    );
    console = new TestConsole(store);
    console.add('victor', 'viewer');
  });

  it('finds the few that end and the many that are not used, and reads no more than it shows', async () => {
    const before = store.read.consumer;
    for (const path of ['/endings', '/']) {
      const { text } = await console.open('victor', path);
      for (const id of ['c-5998', 'c-5999']) assert.match(text, new RegExp(`href="/credentials/${id}"`), path);
    }
    const { text } = await console.open('victor', '/endings');
    assert.match(text, /href="\/credentials\/c-0099"[^]*There are more\. The page shows the first 100\./);
    assert.doesNotMatch(text, /credentials\/c-0100|There are more[^]*There are more/);
    assert.ok(store.read.consumer - before < 10);
  });

  it('says that there is none when there is none', async () => {
    for (const id of await everyId()) {
      store.usage.set(id, { lastUsedAt: NOW - day, retiringSecretLastUsedAt: null });
    }
    const { text } = await console.open('victor', '/endings');
    assert.match(text, /Every working credential was used in the last 90 days\./);
    assert.match(text, /No former secret or key is in use\./);
  });

  async function everyId(): Promise<readonly string[]> {
    const ids: string[] = [];
    for await (const { resource } of store.list('credential')) ids.push(resource.id);
    return ids;
  }
});
