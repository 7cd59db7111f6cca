import assert from 'node:assert/strict';
import { readPlain } from '../../../../src/model/document/read-plain.ts';
import { authenticationMethods, DEFAULT_ACCESS_CONDITION, optionsOf } from '../../../../src/model/endpoint.ts';
import { readEndpoint } from '../../../../src/resources/endpoint.ts';
import { hiddenValue, TestConsole } from '../../../support/console/test-console.ts';
import { MemoryResourceStore } from '../../../support/manage/memory-resource-store.ts';

describe('console: endpoints', () => {
  let console: TestConsole;
  const ofOrders = { paths: '/orders\r\nexact:/status', hosts: '', methods: 'GET POST', labels: 'team=payments' };
  const orders = {
    ...ofOrders,
    id: 'orders',
    authentication: 'hmac',
    accessCondition: 'authenticated',
    description: '',
  };

  beforeEach(async () => {
    console = new TestConsole(new MemoryResourceStore({}));
    console.add('alice', 'admin');
    console.add('victor', 'viewer');
    const made = await console.submit('alice', '/new/endpoint', orders);
    assert.deepEqual([made.status, made.headers.get('location')], [303, '/endpoints/orders?done=endpoint-created']);
  });

  const revision = async (path: string): Promise<string> => hiddenValue(await console.open('alice', path), 'revision');

  async function stored(): Promise<unknown> {
    const found = await console.store.find('endpoint', 'orders');
    assert.ok(found !== null);
    return found.resource;
  }

  it('creates one as the form says, and shows it in the list', async () => {
    assert.deepEqual(await stored(), {
      id: 'orders',
      description: '',
      labels: { team: 'payments' },
      match: { hosts: [], paths: [{ prefix: '/orders' }, { exact: '/status' }], methods: ['GET', 'POST'] },
      limits: [],
      enabled: true,
      scenario: 'partner-openapi',
      accessCondition: 'authenticated',
      authentication: 'hmac',
      options: ((await stored()) as { options: unknown }).options,
    });
    const { text } = await console.open('alice', '/endpoints');
    assert.match(text, /<a href="\/endpoints\/orders">orders<\/a>.*<code>exact:\/status<\/code>/s);
  });

  it('begins with the default of commands and files', async () => {
    const { text } = await console.open('alice', '/new/endpoint');
    const [, chosen] = /<select id="accessCondition".*?<option value="([\w-]+)" selected>/s.exec(text) ?? [];
    assert.equal(chosen, DEFAULT_ACCESS_CONDITION);
    const parsed = readPlain(
      { id: 'a', scenario: 'partner-openapi', match: { paths: [{ prefix: '/' }] }, authentication: 'key' },
      readEndpoint,
    );
    assert.ok('value' in parsed && parsed.value.scenario !== 'open');
    assert.equal(parsed.value.accessCondition, DEFAULT_ACCESS_CONDITION);
  });

  it('warns on its page of a path that has a pattern', async () => {
    assert.ok(!(await console.open('alice', '/endpoints/orders')).text.includes('class="warnings"'));
    const made = await console.submit('alice', '/new/endpoint', { ...orders, id: 'wild', paths: '/wild/*' });
    const page = await console.open('alice', made.headers.get('location') ?? '');
    assert.match(page.text, /<ul class="warnings"><li>.*match\.paths\[0\]\.prefix: this path has a pattern/s);
  });

  it('shows beside the field what is wrong, with everything that was typed', async () => {
    const page = await console.submit('alice', '/new/endpoint', { ...orders, id: 'Others', paths: 'no-slash' });
    assert.equal(page.status, 422);
    assert.match(page.text, /id="paths-fault"><strong>Error:<\/strong>[^<]*does not begin with/);
    assert.match(page.text, /id="id-fault"/);
    assert.match(page.text, />\nno-slash<\/textarea>/);
    assert.match(page.text, /<option value="hmac" selected>/);
  });

  it('opens an endpoint to everyone, and closes it again', async () => {
    const path = '/endpoints/orders/edit';
    const opened = { ...orders, authentication: 'open', revision: await revision(path) };
    assert.equal((await console.submit('alice', path, opened)).status, 303);
    assert.deepEqual(
      [
        ((await stored()) as { scenario: string }).scenario,
        ((await stored()) as { authentication: unknown }).authentication,
      ],
      ['open', null],
    );
    const closed = { ...orders, authentication: 'key', labels: '', revision: await revision(path) };
    assert.equal((await console.submit('alice', path, closed)).status, 303);
    const { authentication, labels } = (await stored()) as { authentication: string; labels: object };
    assert.deepEqual([authentication, labels], ['key', {}]);
  });

  it('refuses a change of what others changed since the page was opened', async () => {
    const path = '/endpoints/orders/edit';
    const old = await revision(path);
    await console.submit('alice', path, { ...orders, description: 'first', revision: old });
    const page = await console.submit('alice', path, { ...orders, description: 'second', revision: old });
    assert.equal(page.status, 412);
    assert.match(page.text, /Others changed this in between/);
    assert.equal(((await stored()) as { description: string }).description, 'first');
  });

  it('sets limits, shows a fault at its own field, and removes a limit whose field was emptied', async () => {
    const path = '/endpoints/orders/limits';
    const two = {
      ...{ 'requests-0': '100', 'unit-0': 'minute', 'per-0': 'consumer' },
      ...{ 'requests-1': 'many', 'unit-1': 'day', 'per-1': 'endpoint' },
    };
    const refused = await console.submit('alice', path, { ...two, revision: await revision(path) });
    assert.equal(refused.status, 422);
    assert.match(refused.text, /id="requests-1-fault"/);
    assert.doesNotMatch(refused.text, /id="requests-0-fault"/);
    await console.submit('alice', path, { ...two, 'requests-1': '5000', revision: await revision(path) });
    assert.deepEqual(((await stored()) as { limits: unknown }).limits, [
      { requests: 100, unit: 'minute', per: 'consumer' },
      { requests: 5000, unit: 'day', per: 'endpoint' },
    ]);
    await console.submit('alice', path, {
      ...two,
      'requests-0': '',
      'requests-1': '1',
      revision: await revision(path),
    });
    assert.deepEqual(((await stored()) as { limits: unknown }).limits, [{ requests: 1, unit: 'day', per: 'endpoint' }]);
    const note = /Limits of an hour or longer begin anew at each restart, .*<code>deploy\/ratelimit\/start<\/code>/s;
    for (const shown of [path, '/endpoints/orders']) assert.match((await console.open('alice', shown)).text, note);
  });

  it('sets options, and gives an empty one its default again', async () => {
    const path = '/endpoints/orders/options';
    const wish = { clockSkewSeconds: '60', replayProtection: 'true', algorithms: 'hmac-sha256\r\nhmac-sha512' };
    assert.equal((await console.submit('alice', path, { ...wish, revision: await revision(path) })).status, 303);
    const { options } = (await stored()) as { options: Record<string, unknown> };
    assert.deepEqual(
      [options['clockSkewSeconds'], options['replayProtection'], options['algorithms']],
      [60, true, ['hmac-sha256', 'hmac-sha512']],
    );
    const page = await console.submit('alice', path, { clockSkewSeconds: 'x', revision: await revision(path) });
    assert.deepEqual([page.status, page.text.includes('id="clockSkewSeconds-fault"')], [422, true]);
    await console.submit('alice', path, { revision: await revision(path) });
    assert.equal(((await stored()) as { options: Record<string, unknown> }).options['clockSkewSeconds'], 300);
  });

  it('has a field for every option of an endpoint', async () => {
    for (const authentication of authenticationMethods) {
      const id = `for-${authentication}`;
      const paths = `/${id}`;
      assert.equal(
        (await console.submit('alice', '/new/endpoint', { ...orders, id, paths, authentication })).status,
        303,
      );
      const { text } = await console.open('alice', `/endpoints/${id}/options`);
      const fields = [...text.matchAll(/<(?:select|input type="text"|textarea) id="(\w+)"/g)].map(([, name]) => name);
      const names = [...Object.keys(optionsOf(authentication, {})), 'reason'];
      assert.deepEqual(fields.sort(), names.sort(), authentication);
    }
  });

  it('asks before it deletes', async () => {
    const path = '/endpoints/orders/delete';
    const asked = await console.open('alice', path);
    assert.match(asked.text, /The endpoint <code>orders<\/code> is deleted/);
    await stored();
    const done = await console.submit('alice', path, { revision: hiddenValue(asked, 'revision') });
    assert.equal(done.headers.get('location'), '/endpoints?done=endpoint-deleted');
    assert.equal(await console.store.find('endpoint', 'orders'), null);
  });

  it('offers a viewer no change, and refuses one that is sent all the same', async () => {
    const { text } = await console.open('victor', '/endpoints/orders');
    assert.doesNotMatch(text, /\/endpoints\/orders\/(edit|delete|limits|options|disable)/);
    const answer = await console.submit('victor', '/endpoints/orders/delete', { revision: '1' });
    assert.equal(answer.status, 403);
    await stored();
  });
});
