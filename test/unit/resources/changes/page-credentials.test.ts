import assert from 'node:assert/strict';
import {
  type CredentialPage,
  type CredentialPlace,
  readCredentialPage,
} from '../../../../src/resources/changes/page-credentials.ts';
import { consumerDefaults } from '../../../../src/model/consumer.ts';
import { MemoryResourceStore } from '../../../support/manage/memory-resource-store.ts';
import { credentialWith, nowSeconds } from './credentials.ts';

const CONSUMERS = 5100;

function idsOf({ shown }: CredentialPage): readonly string[] {
  return shown.map(({ stored }) => stored.resource.id);
}

describe('a page of credentials', () => {
  const ids = Array.from({ length: CONSUMERS }, (_, index) => `c-${String(index).padStart(5, '0')}`);
  const last = ids.at(-1) ?? '';

  async function page(from: CredentialPlace | null, store: MemoryResourceStore): Promise<CredentialPage> {
    const wish = { labels: {}, isWanted: () => true, isUseWanted: () => true };
    return await readCredentialPage({ resources: store, usage: store }, wish, { from, limit: 2, nowSeconds });
  }

  it('with one looks at a bounded number of consumers, and with none reads on', async () => {
    const store = new MemoryResourceStore({
      consumers: ids.map((id) => ({ ...consumerDefaults, id })),
      credentials: [
        credentialWith({ id: 'z', consumerId: ids[7] ?? '' }),
        credentialWith({ id: 'b', consumerId: last }),
      ],
    });
    const first = await page(null, store);
    // Pieces of 5, 10, 20, 40, 80 and then 100, until 5000 were looked at.
    assert.deepEqual([idsOf(first), first.next], [['z'], { consumerId: ids[5054], credentialId: null }]);
    const second = await page(first.next, store);
    assert.deepEqual([idsOf(second), second.next], [['b'], null]);
    const behind = await page({ consumerId: ids[200] ?? '', credentialId: null }, store);
    assert.deepEqual([idsOf(behind), behind.next], [['b'], null]);
  });

  it('goes on within a consumer whose id is the beginning of others', async () => {
    const consumers = ['a', 'a-', 'a0', 'b'].map((id) => ({ ...consumerDefaults, id }));
    const credentials = consumers.flatMap(({ id: consumerId }) =>
      ['x', 'y', 'z'].map((name) => credentialWith({ id: `${name}-of-${consumerId}`, consumerId })),
    );
    const store = new MemoryResourceStore({ consumers, credentials });
    const seen: string[] = [];
    let next: CredentialPlace | null = null;
    do {
      const read: CredentialPage = await page(next, store);
      seen.push(...idsOf(read));
      next = read.next;
    } while (next !== null);
    assert.deepEqual(
      seen,
      credentials.map(({ id }) => id),
    );
  });
});
