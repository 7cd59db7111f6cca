import assert from 'node:assert/strict';
import { MemoryResourceStore } from '../../../../support/manage/memory-resource-store.ts';
import { apply, plan, problemsOf, shortly } from './support.ts';

const selector = { team: 'payments' };
const pruning = { selector, isPruning: true };

/** Two teams: each has an endpoint, a consumer with a credential, and grants for both consumers. */
const both = `version: 1
endpoints:
  - { id: pay, labels: { team: payments }, scenario: partner-openapi, match: { paths: [{ prefix: /pay }] }, authentication: key }
  - { id: bill, labels: { team: billing }, scenario: partner-openapi, match: { paths: [{ prefix: /bill }] }, authentication: key }
  - { id: common, scenario: open, match: { paths: [{ prefix: /common }] } }
consumers:
  - { id: acme, labels: { team: payments, tier: gold }, credentials: [{ id: acme-key, method: key, appKey: acme-app-key }] }
  - { id: blue, labels: { team: billing }, credentials: [{ id: blue-key, method: key, appKey: blue-app-key }] }
grants:
  - { endpoint: pay, consumer: acme }
  - { endpoint: pay, consumer: blue }
  - { endpoint: bill, consumer: blue }
`;

/** The part of the payments team, as its export says it. */
const payments = `version: 1
endpoints:
  - { id: pay, labels: { team: payments }, scenario: partner-openapi, match: { paths: [{ prefix: /pay }] }, authentication: key }
consumers:
  - { id: acme, labels: { team: payments, tier: gold }, credentials: [{ id: acme-key, method: key }] }
grants:
  - { endpoint: pay, consumer: acme }
  - { endpoint: pay, consumer: blue }
`;

async function shared(text = both): Promise<MemoryResourceStore> {
  const store = new MemoryResourceStore();
  await apply(text, store);
  return store;
}

function open(id: string, labels: string, path = `/${id}`): string {
  return `{ id: ${id}, ${labels === '' ? '' : `labels: { ${labels} }, `}scenario: open, match: { paths: [{ prefix: ${path} }] } }`;
}

describe('planning with a selector', () => {
  it('finds nothing to change where the document is the part that carries its labels', async () => {
    const { changes, unchangedCount } = await plan(payments, await shared(), pruning);
    assert.deepEqual([changes, unchangedCount], [[], 5]);
  });

  it('deletes what carries the labels and is not named, with what belongs to it, and nothing else', async () => {
    const planned = await plan('version: 1\n', await shared(), pruning);
    assert.deepEqual(shortly(planned), [
      '- grant pay/acme',
      '- grant pay/blue',
      '- credential acme-key',
      '- consumer acme',
      '- endpoint pay',
    ]);
  });

  it('deletes a single credential or grant that the document leaves out', async () => {
    const fewer = payments
      .replace(', credentials: [{ id: acme-key, method: key }]', '')
      .replace('  - { endpoint: pay, consumer: blue }\n', '');
    assert.deepEqual(shortly(await plan(fewer, await shared(), pruning)), [
      '- grant pay/blue',
      '- credential acme-key',
    ]);
  });

  it('needs all labels of the selector', async () => {
    const store = await shared(both.replace('  - { endpoint: pay, consumer: acme }\n', ''));
    const narrow = { selector: { team: 'payments', tier: 'gold' }, isPruning: true };
    assert.deepEqual(shortly(await plan('version: 1\n', store, narrow)), ['- credential acme-key', '- consumer acme']);
  });

  it('reads of consumers what carries the labels and what is named', async () => {
    const others = Array.from({ length: 50 }, (_, index) => `  - { id: c${String(index)} }\n`).join('');
    const store = await shared(both.replace('grants:\n', `${others}grants:\n`));
    const before = store.read.consumer;
    await plan(payments, store, pruning);
    // As one that is compared, as the owner of credentials, and those of others that grants lead to.
    assert.equal(store.read.consumer - before, 3);
    assert.equal(store.read.credential, 1);
  });
});

describe('a document that reaches beyond its selector', () => {
  it('declares what does not carry the labels', async () => {
    const text = `version: 1
endpoints:
  - ${open('a', '')}
  - ${open('b', 'stage: live')}
  - ${open('c', 'stage: live, team: billing')}
consumers:
  - { id: d, labels: {} }
`;
    assert.deepEqual(await problemsOf(text, new MemoryResourceStore(), { selector }), [
      '3:5: this endpoint does not carry team=payments, the selector: set the label, or leave the endpoint out',
      '4:22: this endpoint does not carry team=payments, the selector: set the label, or leave the endpoint out',
      '5:43: this endpoint does not carry team=payments, the selector: set the label, or leave the endpoint out',
      '7:22: this consumer does not carry team=payments, the selector: set the label, or leave the consumer out',
    ]);
  });

  it('takes requests from the endpoint of others by a narrower path', async () => {
    const text = `version: 1
endpoints:
  - ${open('narrow', 'team: payments', '/bill/1')}
`;
    assert.deepEqual(await problemsOf(text, await shared(), { selector }), [
      '3:70: "narrow" would take requests that belong to the endpoint "bill", such as GET /bill/1; it carries team=billing in the store, not team=payments: take another path or host',
    ]);
  });

  it('names an endpoint or a consumer that others have', async () => {
    const text = `version: 1
endpoints:
  - ${open('bill', 'team: payments')}
  - ${open('common', 'team: payments')}
consumers:
  - { id: blue, labels: { team: payments } }
`;
    for (const options of [{ selector }, pruning]) {
      const problems = await problemsOf(text, await shared(), options);
      assert.deepEqual(problems.slice(0, 3), [
        '3:11: the endpoint "bill" carries team=billing in the store, not team=payments: it belongs to others; take another id',
        '4:11: the endpoint "common" does not carry team=payments in the store: if it is yours, label it there first ("postern endpoint edit common --label …"), or take another id',
        '6:11: the consumer "blue" carries team=billing in the store, not team=payments: it belongs to others; take another id',
      ]);
    }
  });

  it('has a grant on an endpoint of others, also one for its own consumer', async () => {
    const store = await shared();
    const text =
      'version: 1\ngrants:\n  - { endpoint: bill, consumer: acme }\n  - { endpoint: bill, consumer: blue, limits: [] }\n';
    assert.deepEqual(await problemsOf(text, store, { selector }), [
      '3:17: the endpoint "bill" carries team=billing in the store, not team=payments: its grants belong to others, too',
      '4:17: the endpoint "bill" carries team=billing in the store, not team=payments: its grants belong to others, too',
    ]);
  });

  it('takes the requests of an endpoint of others, whether it prunes or not', async () => {
    const text = `version: 1\nendpoints:\n  - ${open('mine', 'team: payments', '/bill')}\n`;
    for (const options of [{ selector }, pruning]) {
      const [problem = '', ...rest] = (await problemsOf(text, await shared(), options)).filter((each) =>
        each.includes('same requests'),
      );
      assert.match(problem, /^3:\d+: this takes the same requests as the endpoint "bill" in the store/);
      assert.deepEqual(rest, []);
    }
  });

  it('leaves out, when pruning, a consumer that has a grant on an endpoint of others', async () => {
    const store = await shared(`${both}  - { endpoint: bill, consumer: acme }\n`);
    assert.deepEqual(await problemsOf('version: 1\n', store, pruning), [
      '1:1: the consumer "acme" is left out and would be deleted, but has a grant on the endpoint "bill", which carries team=billing in the store, not team=payments: have that grant removed first, or keep the consumer',
    ]);
    assert.deepEqual(shortly(await plan('version: 1\n', store, { selector })), []);
  });
});

describe('references out of the selector', () => {
  it('lead to consumers of others that the store has', async () => {
    const store = await shared();
    const text = payments.replace('consumer: acme }', 'consumer: acme, limits: [] }');
    assert.deepEqual(shortly(await plan(text, store, pruning)), ['~ grant pay/acme']);
    const wrong = payments.replace('consumer: blue', 'consumer: bleu');
    for (const options of [{ selector }, pruning]) {
      assert.deepEqual(await problemsOf(wrong, store, options), ['8:32: there is no consumer "bleu"']);
    }
  });

  it('lead nowhere when they lead to what pruning deletes', async () => {
    const text = 'version: 1\ngrants: [{ endpoint: pay, consumer: acme }]\n';
    const store = await shared();
    assert.deepEqual(shortly(await plan(text, store, { selector })), []);
    assert.deepEqual(await problemsOf(text, store, pruning), [
      '2:22: there is no endpoint "pay"',
      '2:37: there is no consumer "acme"',
    ]);
  });
});

describe('grants for groups and the selector', () => {
  const gold = '  - { endpoint: pay, consumerSelector: { tier: gold }, priority: 1 }\n';

  it('belong to the team of their endpoint, whosever the consumers of the group are', async () => {
    const store = await shared(`${both}${gold}`);
    assert.deepEqual(shortly(await plan(`${payments}${gold}`, store, pruning)), []);
    assert.deepEqual(shortly(await plan(payments, store, pruning)), ['- grant pay/tier=gold']);
    const billing = { selector: { team: 'billing' } };
    assert.deepEqual(
      await problemsOf(
        `version: 1\ngrants:\n${gold.replace('gold', 'silver').replace('priority: 1', 'priority: 2')}`,
        store,
        billing,
      ),
      [
        '3:17: the endpoint "pay" carries team=payments in the store, not team=billing: its grants belong to others, too',
      ],
    );
  });

  it('keep no consumer of the group from being pruned', async () => {
    const store = await shared(`${both}${gold.replace('pay', 'bill')}`);
    const fewer = payments
      .replace(/ {2}- \{ id: acme.*\n/, '')
      .replace(/ {2}- \{ endpoint: pay, consumer: acme.*\n/, '');
    assert.deepEqual(shortly(await plan(fewer.replace('consumers:\n', ''), store, pruning)), [
      '- grant pay/acme',
      '- credential acme-key',
      '- consumer acme',
    ]);
  });
});

describe('credentials and the selector', () => {
  it('belong to their consumer: those of others are neither moved nor deleted', async () => {
    const store = await shared();
    const moved = payments.replace('id: acme-key', 'id: blue-key');
    const [problem = ''] = await problemsOf(moved, store, pruning);
    assert.match(problem, /^5:\d+: the credential "blue-key" belongs to the consumer "blue" in the store/);
    const taken = payments.replace(
      'method: key }',
      'method: key }, { id: acme-new, method: key, appKey: blue-app-key }',
    );
    const [other = ''] = await problemsOf(taken, store, pruning);
    assert.match(other, /^5:\d+: the App Key belongs to the credential "blue-key" in the store/);
  });
});
