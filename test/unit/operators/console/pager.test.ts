import assert from 'node:assert/strict';
import fc from 'fast-check';
import { consumerDefaults } from '../../../../src/model/consumer.ts';
import { pager } from '../../../../src/operators/console/parts/pager.ts';
import { MemoryResourceStore } from '../../../support/manage/memory-resource-store.ts';
import { TestConsole } from '../../../support/console/test-console.ts';

/** The ways that a pager offers, by their text, and what it says of where one is. */
function read(text: string): { readonly place: string; readonly ways: Readonly<Record<string, string>> } {
  const ways = [...text.matchAll(/<a href="([^"]+)" rel="\w+">(\w+) page</g)].map(
    ([, href = '', name = '']) => [name, href.replaceAll('&amp;', '&')] as const,
  );
  return {
    place: /<(?:span|p) class="muted">((?:All )?\d[^<]*)</.exec(text)?.[1] ?? '',
    ways: Object.fromEntries(ways),
  };
}

describe('console: the pages of a list', () => {
  it('leads on and back through all pages, and says where one is', async () => {
    const ids = Array.from({ length: 120 }, (_, index) => `c-${String(index).padStart(3, '0')}`);
    const consumers = ids.map((id) => ({ ...consumerDefaults, id, labels: { tier: 'gold' } }));
    const console = new TestConsole(new MemoryResourceStore({ consumers }));
    console.add('alice', 'admin');
    const first = '/consumers?q=tier%3Dgold';
    const open = async (path: string): Promise<ReturnType<typeof read> & { readonly first: string }> => {
      const { text } = await console.open('alice', path);
      return { ...read(text), first: /href="\/consumers\/(c-\d+)"/.exec(text)?.[1] ?? '' };
    };
    const one = await open(`${first}&done=consumer-deleted`);
    assert.deepEqual([one.place, one.first], ['1 to 50 of more than 50', 'c-000']);
    assert.deepEqual(Object.keys(one.ways), ['Next']);
    const two = await open(one.ways['Next'] ?? '');
    assert.deepEqual([two.place, two.first], ['51 to 100 of more than 100', 'c-050']);
    const three = await open(two.ways['Next'] ?? '');
    assert.deepEqual([three.place, three.first], ['101 to 120 of 120', 'c-100']);
    assert.deepEqual(Object.keys(three.ways), ['First', 'Previous']);
    const back = await open(three.ways['Previous'] ?? '');
    assert.deepEqual(back, two);
    assert.equal(back.ways['Previous'], first);
    assert.equal(back.ways['First'], first);
  });

  it('says how many there are where all are on one page, and nothing of none', async () => {
    const draw = async (count: number): Promise<string> =>
      String(await pager('/x', new URLSearchParams(), { items: Array.from({ length: count }), nextCursor: null }));
    assert.deepEqual(read(await draw(1234)), { place: 'All 1,234', ways: {} });
    assert.equal(await draw(0), '');
  });

  it('claims no place that the address does not say', async () => {
    const query = new URLSearchParams({ cursor: 'abc' });
    const page = read(String(await pager('/x', query, { items: [1, 2], nextCursor: 'def' })));
    assert.deepEqual(page, { place: '2 on this page', ways: { First: '/x', Next: '/x?cursor=def' } });
  });

  it('keeps addresses short on any way, and goes back as far as they reach', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4000 }), fc.integer({ min: 1, max: 60 }), async (length, count) => {
        let path = '/x';
        for (let step = 0; step < count; step += 1) {
          const nextCursor = `${'c'.repeat(length)}${String(step)}`;
          const query = new URL(path, 'http://x').searchParams;
          path = read(String(await pager('/x', query, { items: [1], nextCursor }))).ways['Next'] ?? '';
        }
        assert.ok(path.length < length + 4500, String(path.length));
      }),
      { numRuns: 20 },
    );
  });

  it('takes any address', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.string(), async (before, trail) => {
        const query = new URLSearchParams({ cursor: 'c', before, trail });
        assert.doesNotMatch(String(await pager('/x', query, { items: [1], nextCursor: null })), /NaN|undefined/);
      }),
    );
  });
});
