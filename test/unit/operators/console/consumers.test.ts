import assert from 'node:assert/strict';
import type { AuditEvent } from '../../../../src/resources/changes/resource-store.ts';
import { consumerDefaults } from '../../../../src/model/consumer.ts';
import { MemoryResourceStore } from '../../../support/manage/memory-resource-store.ts';
import { hiddenValue, type PageAnswer, TestConsole } from '../../../support/console/test-console.ts';

describe('console: pages of consumers', () => {
  let console: TestConsole;
  let store: MemoryResourceStore;

  beforeEach(() => {
    store = new MemoryResourceStore({
      consumers: [
        { ...consumerDefaults, id: 'acme', name: 'Acme', labels: { team: 'payments', tier: 'gold' } },
        { ...consumerDefaults, id: 'globex', labels: { team: 'orders' } },
      ],
    });
    console = new TestConsole(store);
    console.add('alice', 'admin');
    console.add('victor', 'viewer');
    console.add('paula', 'operator', { selector: { team: 'payments' } });
  });

  async function lastEvent(): Promise<AuditEvent | null> {
    for await (const event of store.events({})) return event;
    return null;
  }

  const goesTo = (answer: PageAnswer): unknown => [answer.status, answer.headers.get('location')];

  it('creates a consumer, as the operator, with the reason, in the name of the console', async () => {
    const page = await console.open('alice', '/new/consumer');
    const fields = { csrf: hiddenValue(page, 'csrf'), id: 'umbrella', name: '', labels: 'tier=gold\r\n\r\nx = a=b' };
    const answer = await console.submit('alice', '/new/consumer', { ...fields, reason: 'OPS-17' });
    assert.deepEqual(goesTo(answer), [303, '/consumers/umbrella?done=consumer-created']);
    const made = await store.find('consumer', 'umbrella');
    assert.deepEqual([made?.resource.name, made?.resource.labels], [null, { tier: 'gold', x: 'a=b' }]);
    const event = await lastEvent();
    assert.deepEqual([event?.actor, event?.action, event?.reason], ['alice', 'console consumer create', 'OPS-17']);
    assert.match((await console.open('alice', '/consumers/umbrella?done=consumer-created')).text, /was created/);
  });

  it('takes the address list as lines, shows it, and removes it', async () => {
    const networks = async (): Promise<unknown> =>
      (await store.find('consumer', 'umbrella'))?.resource.allowFrom?.map(({ text }) => text) ?? null;
    const lines = '203.0.113.0/24\r\n\r\n 2001:db8::/32 ';
    await console.submit('alice', '/new/consumer', { id: 'umbrella', allowFrom: lines });
    assert.deepEqual(await networks(), ['203.0.113.0/24', '2001:db8::/32']);
    const page = await console.open('alice', '/consumers/umbrella');
    assert.match(page.text, /<dt>Allowed from<\/dt>\s*<dd>203\.0\.113\.0\/24, 2001:db8::\/32<\/dd>/);
    const edit = await console.open('alice', '/consumers/umbrella/edit');
    assert.match(edit.text, /name="allowFrom"[^>]*>\n203\.0\.113\.0\/24\n2001:db8::\/32<\/textarea>/);
    const [csrf, revision] = ['csrf', 'revision'].map((name) => hiddenValue(edit, name));
    const typed = { csrf: csrf ?? '', revision: revision ?? '' };
    const refused = await console.submit('alice', '/consumers/umbrella/edit', { ...typed, allowFrom: '10.1.0.0/8' });
    assert.equal(refused.status, 422);
    assert.match(refused.text, /id="allowFrom-fault">.*write 10\.0\.0\.0\/8/);
    await console.submit('alice', '/consumers/umbrella/edit', { ...typed, allowFrom: '' });
    assert.deepEqual(await networks(), null);
    assert.match((await console.open('alice', '/consumers/umbrella')).text, /<dt>Allowed from<\/dt>[^]*?anywhere/);
  });

  it('shows every fault beside its field, with what was typed', async () => {
    const typed = { id: 'Not An Id', name: '<b>&', description: 'kept', labels: 'nothing' };
    const byConsole = await console.submit('alice', '/new/consumer', typed);
    assert.equal(byConsole.status, 422);
    assert.match(byConsole.text, /id="labels-fault"><strong>Error:<\/strong> "?(?:&quot;)?nothing/);
    assert.ok(byConsole.text.includes('value="&lt;b&gt;&amp;"') && byConsole.text.includes('value="kept"'));
    const byApi = await console.submit('alice', '/new/consumer', { ...typed, labels: '' });
    assert.equal(byApi.status, 422);
    assert.match(
      byApi.text,
      /<input type="text" id="id"[^>]* aria-describedby="id-hint id-fault" aria-invalid="true">/,
    );
    assert.match(byApi.text, /role="alert"/);
    const taken = await console.submit('alice', '/new/consumer', { id: 'acme' });
    assert.equal(taken.status, 409);
    assert.match(taken.text, /<h2>The change contradicts what is there<\/h2>/);
    assert.match(
      taken.text,
      /<li>the consumer &quot;acme&quot; already exists; edit that one, or take another &quot;id&quot;<\/li>/,
    );
    const reason = await console.submit('alice', '/new/consumer', { id: 'x', reason: 'x'.repeat(501) });
    assert.equal(reason.status, 400);
    assert.match(reason.text, /id="reason-fault"/);
  });

  it('edits what the page showed: labels that are gone are removed, and what others changed is kept', async () => {
    const path = '/consumers/acme/edit';
    const page = await console.open('alice', path);
    assert.ok(page.text.includes('team=payments\ntier=gold</textarea>'));
    const fields = { revision: hiddenValue(page, 'revision'), name: 'Acme Ltd', labels: 'tier=silver' };
    assert.deepEqual(goesTo(await console.submit('alice', path, fields)), [
      303,
      '/consumers/acme?done=consumer-changed',
    ]);
    const changed = await store.find('consumer', 'acme');
    assert.deepEqual([changed?.resource.name, changed?.resource.labels], ['Acme Ltd', { tier: 'silver' }]);
    const late = await console.submit('alice', path, { ...fields, name: 'Late' });
    assert.equal(late.status, 412);
    assert.match(late.text, /Others changed this in between/);
    assert.match(late.text, /<a href="\/consumers\/acme\/edit">Open it again<\/a>/);
    assert.ok(late.text.includes('value="Late"'));
    assert.equal(hiddenValue(late, 'revision'), fields.revision, 'the old revision: sent again, it is refused again');
    assert.equal((await store.find('consumer', 'acme'))?.resource.name, 'Acme Ltd');
    const same = { revision: '2', name: 'Acme Ltd', labels: 'tier=silver' };
    assert.deepEqual(goesTo(await console.submit('alice', path, same)), [303, '/consumers/acme?done=nothing-changed']);
  });

  it('disables, enables and deletes after it has asked', async () => {
    for (const [verb, isEnabled] of [
      ['disable', false],
      ['enable', true],
    ] as const) {
      const path = `/consumers/acme/${verb}`;
      const revision = hiddenValue(await console.open('alice', path), 'revision');
      const answer = await console.submit('alice', path, { revision });
      assert.deepEqual(goesTo(answer), [303, `/consumers/acme?done=consumer-${verb}d`]);
      assert.equal((await store.find('consumer', 'acme'))?.resource.enabled, isEnabled);
    }
    const page = await console.open('alice', '/consumers/acme/delete');
    assert.match(page.text, /<li>The consumer <code>acme<\/code> is deleted\.<\/li>/);
    assert.ok((await store.find('consumer', 'acme')) !== null);
    const revision = hiddenValue(page, 'revision');
    const answer = await console.submit('alice', '/consumers/acme/delete', { revision });
    assert.deepEqual(goesTo(answer), [303, '/consumers?done=consumer-deleted']);
    assert.equal(await store.find('consumer', 'acme'), null);
  });

  it('takes forms of its own pages in this session only', async () => {
    const fields = { revision: '1' };
    const path = '/consumers/acme/delete';
    const refused = async (answering: Promise<PageAnswer>, why: string, status = 403): Promise<void> => {
      const answer = await answering;
      assert.equal(answer.status, status, answer.text);
      assert.ok(answer.text.includes(why), answer.text);
    };
    await refused(console.submit('alice', path, { ...fields, csrf: '' }), 'does not belong to this session');
    await refused(
      console.submit('alice', path, { ...fields, csrf: 'token of paula' }),
      'does not belong to this session',
    );
    const otherSites = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://attacker.test' },
      { origin: 'null' },
    ];
    for (const headers of otherSites)
      await refused(console.submit('alice', path, fields, headers), 'from another site');
    const json = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };
    await refused(console.open('alice', path, json), 'must be a form', 415);
    await refused(console.submit('alice', path, { reason: 'x'.repeat(300_000) }), 'The form is too large', 413);
    assert.ok((await store.find('consumer', 'acme')) !== null);
    const own = await console.submit('alice', path, fields, { origin: 'http://console.test' });
    assert.equal(own.status, 303);
  });

  it('shows and changes nothing beyond reach, and does not tell it from what is not there', async () => {
    const pages = ['', '/edit', '/delete', '/disable', '/issue', '/grant', '/grants/orders', '/grants/orders/withdraw'];
    for (const page of pages) {
      const beyond = await console.open('paula', `/consumers/globex${page}`);
      const absent = await console.open('paula', `/consumers/nobody${page}`);
      assert.deepEqual([beyond.status, absent.status], [404, 404], page);
      const generic = ({ text }: PageAnswer): string =>
        text.replace(/[0-9a-f-]{36}/g, '').replaceAll(/globex|nobody/g, '');
      assert.equal(generic(beyond), generic(absent), page);
      if (page === '') continue;
      const sent = await console.submit('paula', `/consumers/globex${page}`, { revision: '1' });
      assert.equal(sent.status, 404, page);
    }
    const out = await console.submit('paula', '/consumers/acme/edit', { revision: '1', labels: 'team=orders' });
    assert.equal(out.status, 403);
    assert.match(out.text, /<h2>You may not do this<\/h2>.*>\nteam=orders<\/textarea>/s);
    assert.equal(store.revision, 0);
  });

  it('offers viewers nothing to change, and refuses what they send all the same', async () => {
    const page = await console.open('victor', '/consumers/acme');
    assert.equal(page.status, 200);
    assert.doesNotMatch(page.text, /class="button|\/edit"|\/delete"|\/issue"/);
    assert.equal((await console.submit('victor', '/consumers/acme/delete', { revision: '1' })).status, 403);
    assert.equal(store.revision, 0);
  });

  it('keeps what was typed when MongoDB does not answer', async () => {
    store.beforeCommit = () => {
      throw console.outage();
    };
    const answer = await console.submit('alice', '/new/consumer', { id: 'umbrella', name: 'Umbrella' });
    assert.equal(answer.status, 503);
    assert.match(answer.text, /<h2>MongoDB does not answer<\/h2>/);
    assert.match(answer.text, /Nothing was changed\. Try again/);
    assert.ok(answer.text.includes('value="Umbrella"'));
  });
});
