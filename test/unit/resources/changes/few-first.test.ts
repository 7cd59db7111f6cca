import assert from 'node:assert/strict';
import { consumerDefaults } from '../../../../src/model/consumer.ts';
import { listFewFirst } from '../../../../src/resources/changes/few-first.ts';
import { collectAll, type Selection, takeFirst } from '../../../../src/resources/changes/resource-store.ts';
import { MemoryResourceStore } from '../../../support/manage/memory-resource-store.ts';

describe('a list of which few are wanted', () => {
  const ids = ['a', 'b', 'c', 'd', 'e'];
  const store = new MemoryResourceStore({ consumers: ids.map((id) => ({ ...consumerDefaults, id })) });
  const asked: Selection[] = [];
  const list: typeof store.list = (kind, selection) => {
    asked.push(selection ?? {});
    return store.list(kind, selection);
  };
  const few = (most: number, selection: Selection = {}) =>
    listFewFirst({ list }, 'consumer', selection, { most, idOf: ({ id }) => id });
  const idsOf = (found: readonly { readonly resource: { readonly id: string } }[]): readonly string[] =>
    found.map(({ resource }) => resource.id);
  beforeEach(() => {
    asked.length = 0;
  });

  it('asks for these alone, until more are wanted', async () => {
    assert.deepEqual(idsOf(await takeFirst(few(2), 2)), ['a', 'b']);
    assert.deepEqual(asked, [{ most: 2 }]);
  });

  it('has all of them, each once', async () => {
    for (const most of [1, 2, 4, 5, 6]) assert.deepEqual(idsOf(await collectAll(few(most))), ids, String(most));
    asked.length = 0;
    assert.deepEqual(idsOf(await collectAll(few(2, { after: 'b' }))), ['c', 'd', 'e']);
    assert.deepEqual(asked, [{ after: 'b', most: 2 }, { after: 'd' }]);
  });
});
