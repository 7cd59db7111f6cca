import assert from 'node:assert/strict';
import type { AuditEvent } from '../../../../src/resources/changes/resource-store.ts';
import { consumerDefaults } from '../../../../src/model/consumer.ts';
import { operatorDefaults } from '../../../../src/model/operator.ts';
import { hiddenValue, type PageAnswer, TestConsole } from '../../../support/console/test-console.ts';
import { MemoryResourceStore } from '../../../support/manage/memory-resource-store.ts';
import { partnerEndpoint } from '../../../support/pipeline/resources.ts';

describe('console: a change is undone', () => {
  let console: TestConsole;
  let store: MemoryResourceStore;
  /** The change of the name of acme. */
  let path: string;

  beforeEach(async () => {
    store = new MemoryResourceStore({
      endpoints: [partnerEndpoint('hmac')],
      consumers: [
        { ...consumerDefaults, id: 'acme', name: '<b>Acme', labels: { team: 'payments' } },
        { ...consumerDefaults, id: 'globex', name: 'Globex', labels: { team: 'orders' } },
      ],
    });
    console = new TestConsole(store);
    console.add('alice', 'admin');
    console.add('olga', 'operator');
    console.add('sam', 'support');
    console.add('victor', 'viewer');
    console.add('oscar', 'operator', { selector: { team: 'orders' } });
    path = await rename('acme', '1', 'Wrong');
  });

  const goesTo = (answer: PageAnswer): unknown => [answer.status, answer.headers.get('location')];
  const nameOf = async (id: string): Promise<unknown> => (await store.find('consumer', id))?.resource.name;

  async function lastEvent(): Promise<AuditEvent> {
    for await (const event of store.events({})) return event;
    throw new Error('nothing was changed');
  }

  async function rename(id: string, revision: string, name: string): Promise<string> {
    const answer = await console.submit('alice', `/consumers/${id}/edit`, { revision, name, labels: 'team=payments' });
    assert.equal(answer.status, 303, answer.text);
    return `/audit/${(await lastEvent()).event}`;
  }

  it('shows the plan, which changes nothing, and undoes it when it is confirmed, with the reason', async () => {
    assert.ok((await console.open('olga', path)).text.includes(`href="${path}/undo"`));
    const before = store.revision;
    const page = await console.open('olga', `${path}/undo`);
    assert.deepEqual([page.status, page.headers.get('cache-control')], [200, 'no-store']);
    assert.match(page.text, /The consumer <code>acme<\/code> is changed back\./);
    assert.match(page.text, /<code class="before">Wrong<\/code>/);
    assert.match(page.text, /<code class="after">&lt;b&gt;Acme<\/code>/);
    assert.ok(!page.text.includes('<b>Acme'));
    assert.equal(store.revision, before);
    const fields = { csrf: hiddenValue(page, 'csrf'), reason: 'OPS-17' };
    assert.deepEqual(goesTo(await console.submit('olga', `${path}/undo`, fields)), [303, `${path}?done=change-undone`]);
    assert.equal(await nameOf('acme'), '<b>Acme');
    const event = await lastEvent();
    assert.deepEqual([event.actor, event.action, event.reason], ['olga', 'console audit revert', 'OPS-17']);
    const again = await console.submit('olga', `${path}/undo`, fields);
    assert.deepEqual(goesTo(again), [303, `${path}?done=nothing-changed`]);
    assert.match((await console.open('olga', `${path}/undo`)).text, /There is nothing to undo/);
  });

  it('says what stands in the way, also when it came after the plan', async () => {
    await console.open('alice', `${path}/undo`);
    await rename('acme', '2', 'Later');
    for (const answer of [
      await console.submit('alice', `${path}/undo`, {}),
      await console.open('alice', `${path}/undo`),
    ]) {
      assert.equal(answer.status, 409);
      assert.match(answer.text, /<h2>The change contradicts what is there<\/h2>/);
      assert.doesNotMatch(answer.text, /class="change"/);
    }
    assert.equal(await nameOf('acme'), 'Later');
  });

  it('undoes all that was changed at once when the address says so', async () => {
    const changes = [];
    for (const id of ['acme', 'globex']) {
      const before = await store.find('consumer', id);
      assert.ok(before !== null);
      changes.push({ kind: 'consumer', id, before, after: { ...before.resource, description: 'both' } } as const);
    }
    await store.commit(changes, { actor: 'alice', action: 'apply' });
    const undo = `/audit/${(await lastEvent()).event}/undo`;
    const alone = await console.open('alice', undo);
    assert.ok(alone.text.includes(`href="${undo}?scope=command"`));
    assert.equal(alone.text.match(/is changed back/g)?.length, 1);
    const whole = await console.open('alice', `${undo}?scope=command`);
    assert.equal(whole.text.match(/is changed back/g)?.length, 2);
    assert.equal((await console.submit('alice', `${undo}?scope=command`, {})).status, 303);
    for (const id of ['acme', 'globex']) {
      assert.equal((await store.find('consumer', id))?.resource.description, consumerDefaults.description, id);
    }
  });

  it('brings back what was stopped only when the address says so', async () => {
    await console.submit('alice', '/consumers/acme/disable', { revision: '2' });
    const undo = `/audit/${(await lastEvent()).event}/undo`;
    const isEnabled = async (): Promise<unknown> => (await store.find('consumer', 'acme'))?.resource.enabled;
    const stopped = await console.open('alice', undo);
    assert.equal(stopped.status, 409);
    assert.match(stopped.text, /this would bring back what was stopped[^]*to bring it back, choose that below</);
    assert.match(stopped.text, /choose that below[^]*Bring back what was stopped/);
    assert.doesNotMatch(stopped.text, /postern [a-z]|--[a-z]|\/v1\//);
    assert.ok(stopped.text.includes(`href="${undo}?revive=true"`));
    assert.equal((await console.submit('alice', undo, {})).status, 409);
    assert.equal(await isEnabled(), false);
    assert.equal((await console.open('alice', `${undo}?revive=true`)).status, 200);
    assert.equal((await console.submit('alice', `${undo}?revive=true`, {})).status, 303);
    assert.equal(await isEnabled(), true);
  });

  it('offers it only to those who may change this, and refuses what others send all the same', async () => {
    assert.doesNotMatch((await console.open('sam', path)).text, /\/undo"/);
    for (const [who, status, why] of [
      ['sam', 403, 'You may not do this'],
      ['victor', 403, 'You may not do this'],
      ['oscar', 404, 'Not found'],
    ] as const) {
      for (const answer of [await console.open(who, `${path}/undo`), await console.submit(who, `${path}/undo`, {})]) {
        assert.equal(answer.status, status, who);
        assert.ok(answer.text.includes(`<h1>${why}</h1>`), who);
        assert.doesNotMatch(answer.text, /class="change"/, who);
      }
    }
    assert.equal(await nameOf('acme'), 'Wrong');
  });

  it('is not offered to role operator for endpoints, and to no role for operators', async () => {
    await console.submit('alice', '/endpoints/orders/disable', { revision: '1' });
    const endpoint = `/audit/${(await lastEvent()).event}`;
    assert.doesNotMatch((await console.open('olga', endpoint)).text, /\/undo"/);
    assert.equal((await console.open('olga', `${endpoint}/undo`)).status, 403);
    assert.match((await console.open('alice', endpoint)).text, /\/undo"/);
    const after = { ...operatorDefaults, id: 'bob', role: 'viewer' } as const;
    await store.commit([{ kind: 'operator', id: 'bob', before: null, after }], { actor: 'alice', action: 'x' });
    const operator = `/audit/${(await lastEvent()).event}`;
    assert.doesNotMatch((await console.open('alice', operator)).text, /\/undo"/);
    assert.equal((await console.submit('alice', `${operator}/undo`, {})).status, 409);
    assert.ok((await store.find('operator', 'bob')) !== null);
  });

  it('takes forms of its own page in this session only', async () => {
    const answer = await console.submit('alice', `${path}/undo`, { csrf: 'token of olga' });
    assert.equal(answer.status, 403);
    assert.match(answer.text, /does not belong to this session/);
    const other = await console.submit('alice', `${path}/undo`, {}, { 'sec-fetch-site': 'cross-site' });
    assert.equal(other.status, 403);
    assert.match(other.text, /from another site/);
    assert.equal(await nameOf('acme'), 'Wrong');
  });
});
