import assert from 'node:assert/strict';
import { hiddenValue, TestConsole } from '../../../support/console/test-console.ts';
import { MemoryResourceStore } from '../../../support/manage/memory-resource-store.ts';
import { consumer, keyEndpoint, plan } from '../../../support/pipeline/resources.ts';

const plain = (text: string): string => text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

describe('console: the search of every page', () => {
  let console: TestConsole;

  beforeEach(() => {
    const acme = consumer({ labels: { tier: 'gold', team: 'payments' }, email: 'api@acme.example', team: 'Billing' });
    const globex = consumer({ id: 'globex', enabled: false });
    console = new TestConsole(
      new MemoryResourceStore({ endpoints: [keyEndpoint()], consumers: [acme, globex], plans: [plan()] }),
    );
    console.add('alice', 'admin');
    console.add('victor', 'viewer');
    console.add('paula', 'viewer', { selector: { team: 'payments' } });
  });

  async function found(who: string, q: string): Promise<string> {
    const page = await console.open(who, `/search?q=${encodeURIComponent(q)}`);
    assert.equal(page.status, 200);
    return plain(page.text.slice(page.text.indexOf('<h1>')));
  }

  it('stands on every page, with what was searched for', async () => {
    assert.match((await console.open('victor', '/plans')).text, /action="\/search" .*name="q" value=""/s);
    assert.match((await console.open('victor', '/search?q=%22a%3E')).text, /name="q" value="&quot;a&gt;"/);
  });

  for (const [what, q, wanted] of [
    ['the beginning of an id, in any case', 'GLO', /Consumers globex .*disabled/],
    ['a part of an e-mail address', '@ACME.ex', /Consumers acme .*tier=gold/],
    ['a part of a team', 'billing', /Consumers acme/],
    ['a label', 'tier=gold', /Consumers acme/],
    ['the id of an endpoint', 'orders', /Endpoints orders/],
    ['the id of a plan', 'gold', /Plan gold/],
    ['nothing', 'nobody', /Nothing within your reach was found/],
    ['no text', ' ', /A search looks for/],
  ] as const) {
    it(`finds by ${what}`, async () => {
      assert.match(await found('victor', q), wanted);
    });
  }

  it('finds a credential by its id', async () => {
    const page = await console.open('alice', '/consumers/acme/issue');
    const own = { suffix: hiddenValue(page, 'suffix'), onceKey: hiddenValue(page, 'onceKey') };
    await console.submit('alice', '/consumers/acme/issue', { ...own, method: 'key', id: 'acme-key' });
    assert.match(await found('victor', 'acme-key'), /Credential acme-key of acme active/);
  });

  it('finds credentials by the last four characters of their App Key, within reach', async () => {
    const page = await console.open('alice', '/consumers/globex/issue');
    const own = { suffix: hiddenValue(page, 'suffix'), onceKey: hiddenValue(page, 'onceKey') };
    const issued = await console.submit('alice', '/consumers/globex/issue', {
      ...own,
      method: 'key',
      id: 'globex-key',
    });
    const [, end = ''] = /id="app-key">[0-9a-f]{28}([0-9a-f]{4})</.exec(issued.text) ?? [];
    assert.match(await found('victor', end), new RegExp(`App Key ends with ${end} globex-key of globex active`));
    assert.doesNotMatch(await found('paula', end), /globex-key/);
    const list = await console.open('victor', `/credentials?appKeyEnd=${end}`);
    assert.match(list.text, /href="\/credentials\/globex-key"/);
  });

  it('finds a refused request by its id or the answer, for those who may see it', async () => {
    const requestId = 'b0a1c2d3-0000-4000-8000-000000000001';
    console.refusals.push({
      ...{ id: 'r1', atMs: 1_790_000_000_000, requestId, endpointId: 'orders', method: 'GET', path: '/orders' },
      ...{ code: 'AUTHENTICATION_FAILED', detail: 'the App Key is wrong', isObserved: false, leftOut: 0 },
      ...{ consumerId: 'acme', credentialId: null, sourceAddress: null, stringToSign: null },
    });
    const answer = `{"code":"AUTHENTICATION_FAILED","message":"no","requestId":"${requestId}"}`;
    for (const q of [requestId, answer]) {
      assert.match(await found('alice', q), /Refused requests AUTHENTICATION_FAILED of acme/);
      assert.match(await found('victor', q), /Nothing within your reach was found/);
    }
  });

  it('finds nothing beyond the labels of an operator', async () => {
    assert.match(await found('paula', 'acme'), /Consumers acme/);
    for (const q of ['globex', 'orders', 'gold']) assert.match(await found('paula', q), /Nothing within your reach/);
  });
});
