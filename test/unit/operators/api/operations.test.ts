import assert from 'node:assert/strict';
import { consumerDefaults } from '../../../../src/model/consumer.ts';
import type { Change } from '../../../../src/resources/changes/change.ts';
import { itemsOf, MemoryApi } from '../../../support/api/memory-api.ts';

describe('management API: operations', () => {
  it('are what was changed at once, whole on one page and on no other', async () => {
    const api = new MemoryApi();
    await api.add('sam', 'support');
    const creation = (id: string, labels = {}): Change => ({
      ...({ kind: 'consumer', id, before: null } as const),
      after: { ...consumerDefaults, id, labels },
    });
    const by = (action: string): { readonly actor: string; readonly action: string } => ({ actor: 'ada', action });
    const fleet = Array.from({ length: 15 }, (_, index) => creation(`c-${String(index)}`));
    await api.store.commit(fleet, by('apply'));
    await api.store.commit([creation('alone', { team: 'orders' })], by('consumer create'));
    const seen: unknown[] = [];
    for (let next: string | null = ''; next !== null; ) {
      const at: string = next === '' ? '' : `&cursor=${next}`;
      const page = await api.done('sam', 'GET', `/v1/operations?limit=1${at}`);
      seen.push(...itemsOf(page).map(({ action, count, counts }) => [action, count, counts]));
      next = page.body['nextCursor'] as string | null;
    }
    assert.deepEqual(seen, [
      ['consumer create', 1, [{ verb: 'created', kind: 'consumer', count: 1 }]],
      ['apply', 15, [{ verb: 'created', kind: 'consumer', count: 15 }]],
    ]);
    const [whole] = itemsOf(await api.done('sam', 'GET', '/v1/operations?revision=2'));
    assert.equal((whole?.['events'] as readonly unknown[]).length, 10);
    // Operators and their tokens are for those who manage operators, and what others own for its owners.
    await api.add('sara', 'support', { selector: { team: 'orders' } });
    const own = itemsOf(await api.done('sara', 'GET', '/v1/operations'));
    assert.deepEqual(
      own.map(({ action }) => action),
      ['consumer create'],
    );
    await api.add('victor', 'viewer');
    await api.refused('FORBIDDEN', 'victor', 'GET', '/v1/operations');
  });
});
