import assert from 'node:assert/strict';
import { MemoryResourceStore } from '../../../../support/manage/memory-resource-store.ts';
import { apply, plan, problemsOf, shortly } from './support.ts';

const day = 'limits: [{ requests: 1, unit: day }]';
const endpoints = `version: 1
endpoints:
  - { id: orders, scenario: partner-openapi, match: { paths: [{ prefix: /orders }] }, authentication: hmac }
`;
const whole = `${endpoints}plans:
  - { id: gold, consumerSelector: { tier: gold }, endpoints: [orders], priority: 2, ${day} }
  - { id: silver, consumerSelector: { tier: silver }, priority: 1, ${day} }
`;

async function storeWith(text: string): Promise<MemoryResourceStore> {
  const store = new MemoryResourceStore();
  await apply(text, store);
  return store;
}

describe('applying plans', () => {
  it('makes, changes and leaves them, after the endpoints that they list', async () => {
    const store = new MemoryResourceStore();
    assert.deepEqual(shortly(await plan(whole, store)), ['+ endpoint orders', '+ plan gold', '+ plan silver']);
    await apply(whole, store);
    assert.deepEqual(shortly(await plan(whole, store)), []);
    const edited = whole.replace('tier: silver', 'tier: bronze');
    assert.deepEqual(shortly(await plan(edited, store)), ['~ plan silver']);
    assert.deepEqual(shortly(await plan('version: 1\n', store)), []);
  });

  it('deletes what is left out when pruning, before what it lists and what takes its priority', async () => {
    const store = await storeWith(whole);
    const replaced = `version: 1\nplans:\n  - { id: bronze, priority: 2, ${day} }\n`;
    assert.deepEqual(shortly(await plan(replaced, store, { isPruning: true })), [
      '- plan gold',
      '- plan silver',
      '+ plan bronze',
      '- endpoint orders',
    ]);
  });

  it('reports endpoints that neither document nor store have, and priorities that the store has', async () => {
    const store = await storeWith(whole);
    const text = `version: 1\nplans:\n  - { id: a, endpoints: [orders, order], priority: 1, ${day} }\n`;
    assert.deepEqual(await problemsOf(text, store), [
      '3:34: there is no endpoint "order"; did you mean "orders"?',
      '3:52: the plan "silver" in the store has this priority already; take another one',
    ]);
    const gone = `version: 1\nplans:\n  - { id: gold, consumerSelector: { tier: gold }, endpoints: [orders], ${day} }\n`;
    assert.match((await problemsOf(gone, store, { isPruning: true })).join(), /there is no endpoint "orders"/);
  });

  it('with a selector touches no plan of others', async () => {
    const own = 'consumerSelector: { team: a }, endpointSelector: { team: a }';
    const of = (plans: string) => `version: 1\nselector: { team: a }\nplans:\n${plans}`;
    const store = await storeWith(`${whole}  - { id: own, ${own}, priority: 7, ${day} }\n`);
    assert.deepEqual(shortly(await plan('version: 1\nselector: { team: a }\n', store, { isPruning: true })), [
      '- plan own',
    ]);
    assert.deepEqual(await problemsOf(of(`  - { id: gold, ${own}, priority: 9, ${day} }\n`), store), [
      '4:11: the plan "gold" in the store belongs to others; take another id',
    ]);
    assert.deepEqual(await problemsOf(of(`  - { id: mine, ${own}, priority: 1, ${day} }\n`), store), [
      '4:89: another plan in the store has this priority already; take another one',
    ]);
  });
});
