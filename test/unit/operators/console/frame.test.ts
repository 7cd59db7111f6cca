import assert from 'node:assert/strict';
import { consumerDefaults } from '../../../../src/model/consumer.ts';
import { throttleLimits } from '../../../../src/base/throttle.ts';
import { MemoryResourceStore } from '../../../support/manage/memory-resource-store.ts';
import { NOW, type PageAnswer, TestConsole } from '../../../support/console/test-console.ts';

describe('console: the frame of every page', () => {
  let console: TestConsole;

  beforeEach(() => {
    console = new TestConsole(
      new MemoryResourceStore({
        consumers: [
          { ...consumerDefaults, id: 'acme', name: '<script>alert(1)</script>', labels: { '"><b>': '</td>' } },
          { ...consumerDefaults, id: 'globex', labels: { team: 'orders' } },
        ],
      }),
    );
    console.add('alice', 'admin', { name: '<i>Alice</i>' });
    console.add('paula', 'viewer', { selector: { team: 'payments' } });
  });

  it('sends visitors who are not signed in to the sign-in page, with the way back', async () => {
    const answer = await console.open(null, '/consumers?q=a');
    assert.deepEqual([answer.status, answer.headers.get('location')], [303, '/sign-in?return=%2Fconsumers%3Fq%3Da']);
  });

  it('lets browsers load its own files only, keeps no page, and shows it in no frame', async () => {
    const page = await console.open('alice', '/consumers');
    assert.equal(page.status, 200);
    assert.equal(
      page.headers.get('content-security-policy'),
      "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    );
    assert.equal(page.headers.get('cache-control'), 'no-store');
    assert.equal(page.headers.get('x-frame-options'), 'DENY');
    assert.equal(page.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(page.headers.get('referrer-policy'), 'same-origin');
    assert.doesNotMatch(page.text, /(?:src|href|action)="(?!\/|#)/);
    assert.doesNotMatch(page.text, /<style| style=| on[a-z]+=|<script>/);
  });

  it('serves its files under a hash of their content, to keep for good', async () => {
    const page = await console.open('alice', '/consumers');
    const paths = [...page.text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '');
    assert.equal(paths.length, 3);
    for (const path of paths) {
      assert.match(path, /^\/assets\/[a-z]+\.[0-9a-f]{16}\.[a-z]+$/);
      const file = await console.open(null, path);
      assert.deepEqual(
        [file.status, file.headers.get('cache-control')],
        [200, 'public, max-age=31536000, immutable'],
        path,
      );
    }
    assert.equal((await console.open(null, '/assets/console.0000000000000000.css')).status, 404);
    assert.equal((await console.open(null, '/assets/../ports.ts')).status, 303);
  });

  it('escapes what operators and partners wrote', async () => {
    const { text } = await console.open('alice', '/consumers');
    assert.ok(text.includes('&lt;script&gt;alert(1)&lt;/script&gt;'));
    assert.ok(text.includes('&quot;&gt;&lt;b&gt;=&lt;/td&gt;'));
    assert.ok(text.includes('&lt;i&gt;Alice&lt;/i&gt;'));
    assert.ok(!text.includes('<script>alert') && !text.includes('<i>Alice'));
    const found = await console.open('alice', `/consumers?q=${encodeURIComponent('"><img src=x>')}`);
    assert.ok(!found.text.includes('<img') && found.text.includes('value="&quot;&gt;&lt;img src=x&gt;"'));
  });

  it('shows first steps until there is an endpoint and a consumer, with links for those who may create them', async () => {
    const steps = async (who: string): Promise<readonly string[]> => {
      const { text } = await console.open(who, '/');
      const [, list = ''] = /<h2>First steps<\/h2>\s*<ol>([^]*?)<\/ol>/.exec(text) ?? [];
      return [...list.matchAll(/<li>([^]*?)<\/li>/g)].map(([, step]) => step ?? '');
    };
    assert.deepEqual((await steps('alice')).slice(0, 2), [
      '<a href="/new/endpoint">Create an endpoint</a>',
      'Create a consumer (done)',
    ]);
    const fields = { id: 'orders', paths: '/orders', authentication: 'hmac', accessCondition: 'authenticated' };
    assert.equal((await console.submit('alice', '/new/endpoint', fields)).status, 303);
    assert.deepEqual(await steps('alice'), []);
  });

  it('says to operators with labels that nothing carries them, and offers only what they may do', async () => {
    const start = async (who: string): Promise<string> => (await console.open(who, '/')).text;
    const viewer = await start('paula');
    assert.match(
      viewer,
      /<h2>No endpoint and no consumer here carries your labels<\/h2>[^]*<code>team=payments<\/code>/,
    );
    assert.doesNotMatch(viewer, /First steps|\/new\//);
    console.add('olga', 'operator', { selector: { team: 'payments' } });
    assert.match(await start('olga'), /href="\/new\/consumer">Create a consumer with your labels/);
    console.add('victor', 'viewer');
    assert.match(await start('victor'), /<h2>Nothing is here yet<\/h2><p>There is no endpoint\.<\/p>/);
  });

  it('has the menu behind one button that works without script, in the order of the keyboard', async () => {
    const { text } = await console.open('alice', '/consumers');
    const [, menu = ''] = /<nav class="main-menu" aria-label="Main">([^]*?)<\/nav>/.exec(text) ?? [];
    assert.match(
      menu,
      /^<details><summary>Menu<\/summary><ul><li><a href="\/" >Start<\/a><\/li>[^]*<\/ul><\/details>$/,
    );
    assert.match(menu, /<a href="\/consumers" aria-current="page">Consumers<\/a>/);
  });

  it('says 404 for a page that is not there, and for a notice that is none nothing', async () => {
    const answer = await console.open('alice', '/nowhere');
    assert.equal(answer.status, 404);
    assert.match(answer.text, /<h1>Not found<\/h1>/);
    assert.doesNotMatch((await console.open('alice', '/consumers?done=toString')).text, /class="notice"/);
    assert.match((await console.open('alice', '/consumers?done=consumer-deleted')).text, /The consumer was deleted/);
  });

  it('says 503 when MongoDB does not answer', async () => {
    console.isStoreDown = true;
    const answer = await console.open('alice', '/consumers');
    assert.equal(answer.status, 503);
    assert.match(
      answer.text,
      /<h1>MongoDB does not answer<\/h1>\s*<p>MongoDB cannot be reached\.<\/p>\s*<p>Nothing was changed\./,
    );
    assert.deepEqual(console.defects, []);
  });

  it('counts what pages of other sites make a browser send apart from the operator, and from who signs in', async () => {
    const cookie = `__Host-postern=${'a'.repeat(43)}`;
    const images = { headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' } };
    for (let sent = 0; sent < throttleLimits.requests; sent += 1) {
      assert.equal((await console.open(null, '/consumers', images)).status, 303);
    }
    assert.equal((await console.open(null, '/consumers', images)).status, 429);
    // Also with her cookie, as when she follows a link: what another site sends is its own.
    const linked = { headers: { cookie, 'sec-fetch-site': 'cross-site' } };
    assert.equal((await console.open('alice', '/consumers', linked)).status, 429);
    const own = { headers: { cookie, 'sec-fetch-site': 'same-origin' } };
    assert.equal((await console.open('alice', '/consumers', own)).status, 200);
    for (const site of ['none', 'same-origin']) {
      const visitor = { headers: { 'sec-fetch-site': site } };
      assert.equal((await console.open(null, '/consumers', visitor)).status, 303, site);
    }
    console.address = '192.0.2.2';
    assert.equal((await console.open(null, '/consumers', images)).status, 303);
  });

  it('slows down an address that asks too often, before the store is asked who it is; assets are served', async () => {
    const open = async (): Promise<PageAnswer> => await console.open(null, '/consumers');
    for (let sent = 0; sent < throttleLimits.requests; sent += 1) assert.equal((await open()).status, 303);
    console.isStoreDown = true;
    const answer = await open();
    assert.deepEqual([answer.status, answer.headers.get('retry-after')], [429, String(60 - (NOW % 60))]);
    assert.match(answer.text, /<h1>Too many requests<\/h1>/);
    const [, asset = ''] = /href="(\/assets\/[^"]+\.css)"/.exec(answer.text) ?? [];
    assert.equal((await console.open(null, asset)).status, 200);
  });

  it('finds consumers within reach by id, name or label', async () => {
    const found = async (who: string, q: string): Promise<string[]> =>
      [...(await console.open(who, `/consumers?q=${q}`)).text.matchAll(/href="\/consumers\/([^"]+)"/g)].map(
        ([, id]) => id ?? '',
      );
    assert.deepEqual(await found('alice', ''), ['acme', 'globex']);
    assert.deepEqual(await found('alice', 'GLO'), ['globex']);
    assert.deepEqual(await found('alice', 'Alert('), ['acme']);
    assert.deepEqual(await found('alice', 'team%3Dorders'), ['globex']);
    assert.deepEqual(await found('paula', ''), []);
  });
});
