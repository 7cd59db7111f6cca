import assert from 'node:assert/strict';
import { hiddenValue, TestConsole } from '../../../support/console/test-console.ts';
import { MemoryResourceStore } from '../../../support/manage/memory-resource-store.ts';
import { consumer, keyEndpoint, plan } from '../../../support/pipeline/resources.ts';

const plain = (text: string): string => text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

describe('console: who may call an endpoint', () => {
  let console: TestConsole;

  beforeEach(async () => {
    const gold = { tier: 'gold' };
    const orders = { ...keyEndpoint(), accessCondition: 'authenticated-and-authorized' } as const;
    console = new TestConsole(
      new MemoryResourceStore({
        endpoints: [orders],
        consumers: [consumer({ labels: gold }), consumer({ id: 'globex', labels: gold }), consumer({ id: 'initech' })],
        plans: [plan()],
      }),
    );
    console.add('alice', 'admin');
    console.add('victor', 'viewer');
    for (const id of ['acme', 'globex']) {
      const page = await console.open('alice', `/consumers/${id}/issue`);
      const own = { suffix: hiddenValue(page, 'suffix'), onceKey: hiddenValue(page, 'onceKey') };
      await console.submit('alice', `/consumers/${id}/issue`, { ...own, method: 'key' });
    }
  });

  const group = {
    ...{ who: 'group', labels: 'tier=gold', priority: '7', endpoint: 'orders', consumer: '' },
    ...{ limits: 'own', 'requests-0': '100', 'unit-0': 'minute', 'per-0': 'consumer' },
  };

  it('gives a group access, from the page of the endpoint, changes it and withdraws it', async () => {
    const given = await console.submit('alice', '/endpoints/orders/grant', group);
    assert.deepEqual([given.status, given.headers.get('location')], [303, '/endpoints/orders?done=access-given']);
    const page = plain((await console.open('alice', '/endpoints/orders')).text);
    assert.match(page, /every consumer with tier=gold 7 100 each minute no end Change Withdraw/);
    assert.match(page, /Who may call .*acme yes the grant for tier=gold 100 each minute .*globex yes/);
    assert.doesNotMatch(page, /initech/);

    const path = '/endpoints/orders/grants/tier%3Dgold';
    const revision = hiddenValue(await console.open('alice', path), 'revision');
    const changed = await console.submit('alice', path, { revision, limits: 'none', priority: '-3' });
    assert.equal(changed.headers.get('location'), '/endpoints/orders?done=access-changed');
    const stored = (await console.store.find('grant', 'orders/tier=gold'))?.resource;
    assert.deepEqual(stored, {
      ...{ endpointId: 'orders', consumerSelector: { tier: 'gold' }, priority: -3 },
      ...{ limits: [], expiresAt: null },
    });
    const last = hiddenValue(await console.open('alice', `${path}/withdraw`), 'revision');
    const withdrawn = await console.submit('alice', `${path}/withdraw`, { revision: last });
    assert.equal(withdrawn.headers.get('location'), '/endpoints/orders?done=access-withdrawn');
    assert.match((await console.open('alice', '/endpoints/orders')).text, /No consumer may call this endpoint/);
  });

  it('gives a group access from the page of a consumer, which says by which grant it calls', async () => {
    const given = await console.submit('alice', '/consumers/acme/grant', group);
    assert.equal(given.headers.get('location'), '/endpoints/orders?done=access-given');
    const page = plain((await console.open('victor', '/consumers/acme')).text);
    assert.match(page, /orders yes the grant for tier=gold 100 each minute gold no end/);
  });

  it('finds a caller by the beginning of its id, its name or a label', async () => {
    await console.submit('alice', '/endpoints/orders/grant', group);
    const found = async (q: string): Promise<string> =>
      plain((await console.open('victor', `/endpoints/orders/callers?q=${encodeURIComponent(q)}`)).text);
    assert.match(await found('glo'), /globex yes/);
    assert.doesNotMatch(await found('glo'), /acme yes/);
    assert.match(await found('tier=gold'), /acme yes .*globex yes/);
    assert.match(await found('tier=none'), /No consumer that may call was found for &quot;tier=none&quot;/);
  });

  it('lists the grants of an endpoint on a page of their own', async () => {
    await console.submit('alice', '/endpoints/orders/grant', group);
    await console.submit('alice', '/consumers/acme/grant', { endpoint: 'orders' });
    const page = await console.open('victor', '/endpoints/orders/grants');
    assert.match(plain(page.text), /acme before groups those of the endpoint no end .*with tier=gold 7/);
    assert.doesNotMatch(page.text, /withdraw/);
  });

  it('shows every wrong field at once, beside what was typed', async () => {
    const wrong = { ...group, labels: 'gold\r\ntier=a\r\ntier=b', priority: 'high', 'requests-0': 'many' };
    const { status, text } = await console.submit('alice', '/endpoints/orders/grant', wrong);
    assert.equal(status, 422);
    assert.match(
      text,
      /id="labels-fault"><strong>Error:<\/strong> &quot;gold&quot; does not have .*; the label &quot;tier/,
    );
    assert.match(text, /id="priority-fault"/);
    assert.match(text, /id="requests-0-fault"/);
    assert.match(text, />\ngold\r?\ntier=a\r?\ntier=b<\/textarea>/);
  });

  it('keeps the form beside an endpoint or a consumer that is not there', async () => {
    const wrong = await console.submit('alice', '/consumers/acme/grant', {
      ...group,
      who: 'consumer',
      endpoint: 'ordres',
    });
    assert.equal(wrong.status, 404);
    assert.match(wrong.text, /id="endpoint-fault"><strong>Error:<\/strong> there is no endpoint/);
    assert.match(wrong.text, /name="requests-0" value="100"/);
    const nobody = { ...group, who: 'consumer', labels: '', consumer: 'acmee' };
    assert.match((await console.submit('alice', '/endpoints/orders/grant', nobody)).text, /id="consumer-fault"/);
  });
});
