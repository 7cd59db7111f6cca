import assert from 'node:assert/strict';
import { consumerDefaults } from '../../../../src/model/consumer.ts';
import { MemoryResourceStore } from '../../../support/manage/memory-resource-store.ts';
import { TestConsole } from '../../../support/console/test-console.ts';

describe('console: the columns of the list of consumers', () => {
  let console: TestConsole;
  before(() => {
    const consumers = Array.from({ length: 60 }, (_, index) => ({
      ...consumerDefaults,
      id: `c-${String(index).padStart(2, '0')}`,
      description: 'Pays late',
    }));
    console = new TestConsole(new MemoryResourceStore({ consumers }));
    console.add('victor', 'viewer');
  });

  const open = async (
    path: string,
  ): Promise<{ readonly text: string; readonly heads: readonly (string | undefined)[] }> => {
    const { text } = await console.open('victor', path);
    return { text, heads: [...text.matchAll(/<th scope="col"[^>]*>(?:<a [^>]*>)?([^<]*)</g)].map(([, head]) => head) };
  };

  it('are the usual ones, or those that the address asks for, in their own order', async () => {
    assert.deepEqual((await open('/consumers')).heads, ['Id', 'Name', 'Labels', 'State']);
    const { text, heads } = await open('/consumers?column=createdAt&column=description&column=nothing');
    assert.deepEqual(heads, ['Id', 'Description', 'Created']);
    assert.match(text, /<td role="cell" data-label="Description">Pays late<\/td>/);
    assert.match(text, /name="column" value="description" checked>/);
    assert.match(text, /name="column" value="labels" >/);
    assert.deepEqual((await open('/consumers?column=toString')).heads, ['Id', 'Name', 'Labels', 'State']);
  });

  it('are kept by the search, on the next page and in the form itself, which keeps the search', async () => {
    const { text } = await open('/consumers?q=c-&column=labels&column=createdAt');
    assert.match(text, /role="search"[^>]*><input type="hidden" name="column" value="labels"><input type="hidden"/);
    assert.match(text, /href="\/consumers\?q=c-&amp;column=labels&amp;column=createdAt&amp;cursor=/);
    assert.match(text, /<details class="columns">[^]*<input type="hidden" name="q" value="c-">/);
  });
});
