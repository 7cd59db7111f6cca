import assert from 'node:assert/strict';
import { consumerDefaults } from '../../../../src/model/consumer.ts';
import { hourOf, type TrafficCount } from '../../../../src/model/traffic-count.ts';
import { sparkline } from '../../../../src/operators/console/parts/sparkline.ts';
import { MemoryResourceStore } from '../../../support/manage/memory-resource-store.ts';
import { NOW, TestConsole } from '../../../support/console/test-console.ts';

describe('console: which consumers fail, grow and are silent', () => {
  let console: TestConsole;
  const ids = ['acme', 'globex', 'initech', 'umbrella'];
  beforeEach(() => {
    console = new TestConsole(new MemoryResourceStore({ consumers: ids.map((id) => ({ ...consumerDefaults, id })) }));
    console.add('victor', 'viewer');
  });

  const count = (consumerId: string, hoursBack: number, allowed: number, refused = 0): void => {
    const hour = hourOf(NOW) - hoursBack;
    const codes = { ALLOWED: allowed, AUTHENTICATION_FAILED: refused };
    console.traffic.push({ endpointId: 'orders', consumerId, hour, codes });
  };

  /** The first cells of the rows of a table, or what stands in its place. */
  const ranked = (text: string, what: string): readonly string[] => {
    const [, rows = ''] = new RegExp(`<caption>${what}[^<]*</caption>([^]*?)</table>`).exec(text) ?? [];
    return [...rows.matchAll(/href="\/consumers\/(\w+)"/g)].map(([, id = '']) => id);
  };

  it('ranks them by the last day, the one before and the week before', async () => {
    count('acme', 1, 10, 5);
    count('acme', 30, 100);
    count('globex', 2, 50, 1);
    count('globex', 40, 20);
    count('initech', 50, 7);
    count('umbrella', 3, 4);
    const { text } = await console.open('victor', '/');
    assert.deepEqual(ranked(text, 'Who fails'), ['acme', 'globex']);
    assert.deepEqual(ranked(text, 'Who grows'), ['globex', 'umbrella']);
    assert.deepEqual(ranked(text, 'Who is silent'), ['initech']);
    const [, label = ''] = /aria-label="(Refused by hour, the oldest first: [^"]*)"/.exec(text) ?? [];
    assert.equal(label, `Refused by hour, the oldest first: ${[...Array<number>(22).fill(0), 5, 0].join('; ')}`);
    assert.match(text, /<td role="cell" data-label="Of all">33 %<\/td>/);
  });

  it('says so where none does, and nothing where nobody called', async () => {
    assert.doesNotMatch((await console.open('victor', '/')).text, /Who fails|Consumers in the last 24 hours/);
    console.now += 600;
    count('acme', 1, 5);
    count('acme', 30, 5);
    const { text } = await console.open('victor', '/');
    for (const what of ['Who fails: no request', 'Who grows: no consumer', 'Who is silent: every consumer']) {
      assert.ok(text.includes(`<p class="empty">${what}`), what);
    }
  });

  it('shows the page at once while the first counts are read, and them when they are there', async () => {
    count('acme', 1, 5);
    const counts = [...console.traffic];
    let go = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const slow = async function* (): AsyncGenerator<TrafficCount> {
      await gate;
      yield* counts;
    };
    const old = { endpointId: 'orders', consumerId: 'acme', hour: hourOf(NOW) - 150, codes: {} };
    // Only the ranking asks for a week.
    Object.assign(console.traffic, {
      filter: (isSelected: (count: TrafficCount) => boolean) => (isSelected(old) ? slow() : counts.filter(isSelected)),
    });
    const { text } = await console.open('victor', '/');
    assert.match(text, /<p role="status">The requests are being counted[^]*<a href="\/">Look again<\/a>/);
    assert.match(text, /Requests of the last 24 hours/);
    go();
    assert.deepEqual(ranked((await console.open('victor', '/')).text, 'Who grows'), ['acme']);
  });

  it('keeps what was counted for a minute, and shows older counts with their time while new ones are read', async () => {
    count('acme', 1, 5);
    const look = async () => (await console.open('victor', '/')).text;
    assert.deepEqual(ranked(await look(), 'Who grows'), ['acme']);
    count('globex', 1, 9);
    console.now += 59;
    const fresh = await look();
    assert.deepEqual([ranked(fresh, 'Who grows'), fresh.includes('As of')], [['acme'], false]);
    console.now += 1;
    const older = await look();
    assert.deepEqual(ranked(older, 'Who grows'), ['acme']);
    const at = new Date(NOW * 1000).toISOString().slice(0, 16).replace('T', ' ');
    assert.match(older, new RegExp(`As of <time [^>]*>${at} UTC</time>`));
    const next = await look();
    assert.deepEqual([ranked(next, 'Who grows'), next.includes('As of')], [['globex', 'acme'], false]);
    count('initech', 1, 20);
    console.now += 600;
    assert.deepEqual(ranked(await look(), 'Who grows'), ['initech', 'globex', 'acme'], 'nothing that old is shown');
  });

  it('ranks those within reach alone, and anew each time, for an operator with labels', async () => {
    const labels = { team: 'pay' };
    await console.store.commit(
      [
        {
          ...{ kind: 'consumer' as const, id: 'labelled', before: null },
          after: { ...consumerDefaults, id: 'labelled', labels },
        },
      ],
      { actor: 'test', action: 'test' },
    );
    console.add('paula', 'viewer', { selector: labels });
    count('acme', 1, 50, 9);
    const { text } = await console.open('paula', '/');
    assert.doesNotMatch(text, /acme/);
  });

  it('ranks by the API beyond what it lists, by one of the counts', async () => {
    count('acme', 1, 100);
    count('globex', 1, 1, 3);
    const { text } = await console.open('victor', '/usage?by=consumer&sort=refused');
    assert.deepEqual(ranked(text, 'Requests by consumer'), ['globex', 'acme']);
    const byRequests = await console.open('victor', '/usage?by=consumer');
    assert.deepEqual(ranked(byRequests.text, 'Requests by consumer'), ['acme', 'globex']);
    assert.match(
      byRequests.text,
      /<th scope="col"[^>]*><a href="\/usage\?by=consumer&amp;sort=refused">Refused<\/a><\/th>/,
    );
    assert.match(text, /<th scope="col"[^>]*aria-sort="descending"[^>]*>/);
  });

  it('draws nothing but numbers', async () => {
    for (const values of [[], [0], [1, 2, 1_000_000]]) {
      assert.doesNotMatch(String(await sparkline('x', values)), /NaN|Infinity|style/);
    }
  });
});
