import assert from 'node:assert/strict';
import { hourOf } from '../../../../src/model/traffic-count.ts';
import { hiddenValue, NOW, TestConsole } from '../../../support/console/test-console.ts';
import { MemoryResourceStore } from '../../../support/manage/memory-resource-store.ts';
import { consumer, keyEndpoint, plan } from '../../../support/pipeline/resources.ts';

const form = {
  id: 'gold',
  consumerSelector: 'tier=gold',
  endpoints: '',
  endpointSelector: '',
  priority: '7',
  limits: '10/month\r\n50/second',
};

describe('console: plans', () => {
  let console: TestConsole;

  beforeEach(() => {
    const consumers = [consumer({ labels: { tier: 'gold' } }), consumer({ id: 'globex', labels: { tier: 'gold' } })];
    console = new TestConsole(new MemoryResourceStore({ endpoints: [keyEndpoint()], consumers }));
    console.add('alice', 'admin');
    console.add('victor', 'viewer');
    console.add('petra', 'admin', { selector: { team: 'payments' } });
  });

  const stored = async (): Promise<unknown> => (await console.store.find('plan', 'gold'))?.resource ?? null;

  it('are made, changed and deleted by forms', async () => {
    const made = await console.submit('alice', '/new/plan', form);
    assert.deepEqual([made.status, made.headers.get('location')], [303, '/plans/gold?done=plan-created']);
    const limits = [{ requests: 10, unit: 'month' } as const, { requests: 50, unit: 'second' } as const];
    assert.deepEqual(await stored(), plan({ priority: 7, limits }));
    const { text } = await console.open('victor', '/plans');
    assert.match(text, /<a href="\/plans\/gold">gold<\/a>.*tier=gold.*every endpoint.*50 each second/s);
    assert.doesNotMatch(text, /new\/plan/);

    const revision = hiddenValue(await console.open('alice', '/plans/gold/edit'), 'revision');
    const edit = { ...form, revision, endpoints: 'orders', priority: '-2', limits: '9/day' };
    assert.equal((await console.submit('alice', '/plans/gold/edit', edit)).status, 303);
    const edited = plan({ endpointIds: ['orders'], priority: -2, limits: [{ requests: 9, unit: 'day' }] });
    assert.deepEqual(await stored(), edited);
    assert.equal((await console.submit('alice', '/plans/gold/edit', edit)).status, 412);

    const confirmed = { revision: hiddenValue(await console.open('alice', '/plans/gold/delete'), 'revision') };
    const deleted = await console.submit('alice', '/plans/gold/delete', confirmed);
    assert.equal(deleted.headers.get('location'), '/plans?done=plan-deleted');
    assert.equal(await stored(), null);
  });

  it('show beside the field what is wrong, with everything that was typed', async () => {
    const wrong = { ...form, limits: '10/week\r\nmany/day', endpoints: 'Orders' };
    const page = await console.submit('alice', '/new/plan', wrong);
    assert.equal(page.status, 422);
    assert.match(page.text, /id="limits-fault"><strong>Error:<\/strong>/);
    assert.match(page.text, /id="endpoints-fault"><strong>Error:<\/strong>/);
    assert.match(page.text, />\n10\/week\r?\nmany\/day<\/textarea>/);
    const labels = await console.submit('alice', '/new/plan', { ...form, consumerSelector: 'gold' });
    assert.match(labels.text, /&quot;gold&quot; does not have the form NAME=VALUE/);
    assert.equal(await stored(), null);
  });

  it('show a bar for what each consumer has used, the fullest first', async () => {
    await console.submit('alice', '/new/plan', form);
    const hour = hourOf(NOW);
    for (const [consumerId, allowed] of [
      ['acme', 4],
      ['globex', 9],
    ] as const) {
      console.traffic.push({ endpointId: 'orders', consumerId, hour, codes: { ALLOWED: allowed, RATE_LIMITED: 2 } });
    }
    const { text } = await console.open('victor', '/plans/gold');
    assert.match(
      text,
      /globex.*9 \(90 %\).*<meter min="0" max="10" high="8" optimum="0" value="9" aria-label="Used by globex">90 %<\/meter>.*acme.*4 \(40 %\)/s,
    );
    assert.doesNotMatch(text, /\/plans\/gold\/edit/);
    const usage = await console.open('victor', '/usage?consumer=acme');
    assert.match(usage.text, /Used of plans.*<a href="\/plans\/gold">gold<\/a>.*value="4"/s);
    assert.doesNotMatch((await console.open('victor', '/usage')).text, /Used of plans/);
  });

  it('of others are not there for an operator with labels', async () => {
    await console.submit('alice', '/new/plan', form);
    assert.match((await console.open('petra', '/plans')).text, /There are no plans\./);
    assert.equal((await console.open('petra', '/plans/gold')).status, 404);
    const { text } = await console.open('petra', '/new/plan');
    assert.equal(text.match(/>\nteam=payments<\/textarea>/g)?.length, 2);
  });
});
