import assert from 'node:assert/strict';
import { consumerDefaults } from '../../../../src/model/consumer.ts';
import { TestConsole } from '../../../support/console/test-console.ts';
import { MemoryResourceStore } from '../../../support/manage/memory-resource-store.ts';

describe('console: audit', () => {
  let console: TestConsole;
  before(async () => {
    const store = new MemoryResourceStore({});
    console = new TestConsole(store);
    console.add('sam', 'support');
    const creation = (id: string): object => ({
      ...{ kind: 'consumer', id, before: null },
      after: { ...consumerDefaults, id },
    });
    const many = Array.from({ length: 120 }, (_, index) => creation(`c-${String(index).padStart(3, '0')}`));
    await store.commit(many as never, { actor: 'ada', action: 'apply', reason: 'OPS-1' });
    await store.commit([creation('alone')] as never, { actor: 'bob', action: 'console consumer create' });
  });

  it('has a line for all that was changed at once, which unfolds, and leads to each event', async () => {
    const { text } = await console.open('sam', '/audit');
    assert.equal(text.match(/<tr role="row"><th scope="row"/g)?.length, 2);
    assert.match(text, /<details><summary>120 consumer created<\/summary>/);
    assert.equal(text.match(/<li><a href="\/audit\/[0-9a-f]{24}">created consumer/g)?.length, 10);
    assert.match(text, /<li><a href="\/audit\?revision=1">All 120<\/a><\/li>/);
    assert.match(text, />created consumer <code>alone<\/code><\/a>/);
    assert.doesNotMatch(text, /Next page/);
    const all = await console.open('sam', '/audit?revision=1');
    assert.equal(all.text.match(/created consumer <code>/g)?.length, 50);
    assert.match(all.text, /Next page/);
  });

  it('narrows operations', async () => {
    const first = await console.open('sam', '/audit?actor=ada');
    assert.match(first.text, /120 consumer created/);
    assert.doesNotMatch(first.text, /alone/);
    assert.match((await console.open('sam', '/audit?actor=nobody')).text, /No change matches\./);
  });
});
