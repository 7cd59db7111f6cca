import assert from 'node:assert/strict';
import { issuer, keyEndpoint, plan } from '../../../support/pipeline/resources.ts';
import { MemoryResourceStore } from '../../../support/manage/memory-resource-store.ts';
import { NOW, type PageAnswer, TestConsole } from '../../../support/console/test-console.ts';

describe('console: sorted lists', () => {
  let console: TestConsole;
  let now: number;

  beforeEach(async () => {
    const endpoints = ['orders', 'stock'].map((id) => keyEndpoint({ id, paths: [{ prefix: `/${id}` }] }));
    now = NOW;
    const clock = { nowSeconds: () => now, nowMs: () => now * 1000, elapsedMs: () => 0 };
    const plans = [plan({ id: 'a', priority: 1 }), plan({ id: 'b', priority: 2 })];
    console = new TestConsole(new MemoryResourceStore({ endpoints, plans, issuers: [issuer()] }, clock));
    console.add('alice', 'admin');
    for (const [index, id] of ['c-old', 'b-new', 'a-newest'].entries()) {
      now += index;
      const created = await console.submit('alice', '/new/consumer', { id });
      assert.equal(created.status, 303, created.text);
    }
  });

  const idsIn = ({ text }: PageAnswer, kind: string): readonly string[] => [
    ...new Set(
      [...text.matchAll(new RegExp(`<th scope="row"[^>]*>[^]*?href="/${kind}/([\\w-]+)"`, 'g'))].map(
        ([, id = '']) => id,
      ),
    ),
  ];
  const sortedBy = ({ text }: PageAnswer): string =>
    /<th scope="col"[^>]*aria-sort="(\w+)"[^>]*>(\w+)</.exec(text)?.slice(1).reverse().join(' ') ?? '';

  it('show consumers by id or the newest first, as a file too, with their number', async () => {
    const columns = 'column=createdAt';
    const usual = await console.open('alice', `/consumers?${columns}`);
    assert.deepEqual([sortedBy(usual), idsIn(usual, 'consumers')], ['Id ascending', ['a-newest', 'b-new', 'c-old']]);
    const [, href = ''] = /<a href="([^"]*)">Created<\/a>/.exec(usual.text) ?? [];
    assert.equal(href, '/consumers?column=createdAt&amp;sort=-createdAt');
    const newest = await console.open('alice', href.replaceAll('&amp;', '&'));
    assert.deepEqual(
      [sortedBy(newest), idsIn(newest, 'consumers')],
      ['Created descending', ['c-old', 'b-new', 'a-newest'].reverse()],
    );
    const { text } = await console.open('alice', '/consumers?sort=-createdAt&format=csv');
    assert.deepEqual(
      text.split('\r\n').map((line) => line.split(',')[0]),
      ['id', 'a-newest', 'b-new', 'c-old', ''],
    );
    assert.equal(sortedBy(await console.open('alice', '/consumers?sort=nonsense')), 'Id ascending');
  });

  it('show every other list in one of its orders, and say which', async () => {
    for (const [path, kind, usual, other, otherOrder] of [
      ['/endpoints', 'endpoints', 'Id ascending', '-updatedAt', 'Changed descending'],
      ['/issuers', 'issuers', 'Id ascending', '-updatedAt', 'Changed descending'],
      ['/operators', 'operators', 'Id ascending', '-updatedAt', 'Changed descending'],
      ['/plans', 'plans', 'Priority descending', 'id', 'Id ascending'],
      ['/credentials', 'credentials', 'Consumer ascending', '-createdAt', 'Created descending'],
      ['/credentials', 'credentials', 'Consumer ascending', 'expiresAt', 'Ends ascending'],
      ['/credentials?consumer=c-old', 'credentials', 'Consumer ascending', '-createdAt', 'Created descending'],
    ] as const) {
      if (kind === 'credentials') await issue();
      if (kind === 'operators') await console.submit('alice', '/new/operator', { id: 'olga', role: 'viewer' });
      assert.equal(sortedBy(await console.open('alice', path)), usual, path);
      const sorted = await console.open('alice', `${path}${path.includes('?') ? '&' : '?'}sort=${other}`);
      assert.equal(sortedBy(sorted), otherOrder, `${path} ${other}`);
    }
    assert.deepEqual(idsIn(await console.open('alice', '/plans'), 'plans'), ['b', 'a']);
    assert.deepEqual(idsIn(await console.open('alice', '/plans?sort=id'), 'plans'), ['a', 'b']);
    assert.equal(sortedBy(await console.open('alice', '/audit')), 'When descending');
  });

  it('have only orders that there is an index for', async () => {
    await issue();
    const narrowed = await console.open('alice', '/credentials?expiringWithin=30d&sort=-createdAt');
    assert.deepEqual([narrowed.status, sortedBy(narrowed)], [200, '']);
    const ofOne = await console.open('alice', '/credentials?consumer=c-old&sort=expiresAt');
    assert.equal(sortedBy(ofOne), 'Consumer ascending');
    const byEnd = await console.open('alice', '/credentials?sort=expiresAt');
    assert.match(byEnd.text, /<caption>Credentials with an end, the first to end first<\/caption>/);
  });

  let issued = 0;
  async function issue(): Promise<void> {
    issued += 1;
    const onceKey = String(issued).padStart(32, '0');
    const fields = { method: 'hmac', id: `c-${String(issued)}`, expiresAt: '20d', onceKey };
    const answer = await console.submit('alice', '/consumers/c-old/issue', fields);
    assert.equal(answer.status, 200, answer.text);
  }
});
