import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { MemoryResourceStore, contentsOf } from '../../../../support/manage/memory-resource-store.ts';
import { apply, plan, problemsOf, shortly } from './support.ts';
import { secretsOf } from '../../../../support/store/secrets.ts';

const SECRET = 'a secret for tests, 32 characters';

const whole = `version: 1
endpoints:
  - { id: orders, scenario: partner-openapi, match: { paths: [{ prefix: /orders }] }, authentication: hmac }
consumers:
  - id: acme
    name: Acme Ltd
    credentials:
      - { id: acme-hmac, method: hmac, appKey: acme-app-key, appSecret: "${SECRET}" }
      - { id: acme-key, method: key, appKey: acme-other-key }
grants:
  - { endpoint: orders, consumer: acme }
`;

async function storeWith(text: string): Promise<MemoryResourceStore> {
  const store = new MemoryResourceStore();
  await apply(text, store);
  return store;
}

/** A consumer `acme` with these credentials. */
function withCredentials(...credentials: readonly string[]): string {
  return `version: 1\nconsumers:\n  - id: acme\n    credentials:\n${credentials.map((each) => `      - ${each}\n`).join('')}`;
}

describe('planning what a document changes', () => {
  it('creates what is not there, in an order in which references hold', async () => {
    assert.deepEqual(shortly(await plan(whole, new MemoryResourceStore())), [
      '+ endpoint orders',
      '+ consumer acme',
      '+ credential acme-hmac',
      '+ credential acme-key',
      '+ grant orders/acme',
    ]);
  });

  it('changes nothing the second time', async () => {
    const store = await storeWith(whole);
    const again = await plan(whole, store);
    assert.deepEqual(again.changes, []);
    assert.equal(again.unchangedCount, 5);
  });

  it('changes what differs, and only that', async () => {
    const store = await storeWith(whole);
    const edited = whole.replace('Acme Ltd', 'Acme Inc').replace('/orders', '/order');
    assert.deepEqual(shortly(await plan(edited, store)), ['~ endpoint orders', '~ consumer acme']);
  });

  it('leaves alone what it does not name', async () => {
    const store = await storeWith(whole);
    assert.deepEqual(shortly(await plan('version: 1\n', store)), []);
    assert.deepEqual(shortly(await plan('version: 1\nconsumers: [{ id: acme, name: Acme Ltd }]\n', store)), []);
  });

  it('deletes what it does not name when pruning, what refers before what is referred to', async () => {
    const store = await storeWith(whole);
    assert.deepEqual(shortly(await plan('version: 1\n', store, { isPruning: true })), [
      '- grant orders/acme',
      '- credential acme-hmac',
      '- credential acme-key',
      '- consumer acme',
      '- endpoint orders',
    ]);
    const fewer = withCredentials('{ id: acme-key, method: key }').replace(
      'id: acme\n',
      'id: acme\n    name: Acme Ltd\n',
    );
    assert.deepEqual(shortly(await plan(fewer, store, { isPruning: true })), [
      '- grant orders/acme',
      '- credential acme-hmac',
      '- endpoint orders',
    ]);
  });

  it('takes a deleted endpoint out of the way of one that takes over its requests', async () => {
    const store = await storeWith(whole);
    const moved = whole.replaceAll('id: orders', 'id: orders2').replace('endpoint: orders', 'endpoint: orders2');
    assert.deepEqual(shortly(await plan(moved, store, { isPruning: true })), [
      '- grant orders/acme',
      '- endpoint orders',
      '+ endpoint orders2',
      '+ grant orders2/acme',
    ]);
  });

  it('reads only what the document names, unless it prunes', async () => {
    const store = await storeWith(
      `version: 1\nconsumers:\n${Array.from({ length: 50 }, (_, index) => `  - id: c${String(index)}\n`).join('')}`,
    );
    await plan('version: 1\nconsumers: [{ id: c7 }]\n', store);
    assert.equal(store.read.consumer, 1);
    await plan('version: 1\nconsumers: [{ id: c7 }]\n', store, { isPruning: true });
    assert.equal(store.read.consumer, 51);
  });
});

describe('references of a document to a store', () => {
  it('lets grants lead to what only the store has', async () => {
    const store = await storeWith(whole);
    const grants = 'version: 1\ngrants: [{ endpoint: orders, consumer: acme, limits: [] }]\n';
    assert.deepEqual(shortly(await plan(grants, store)), ['~ grant orders/acme']);
  });

  it('reports what leads nowhere, and what will when the rest is deleted', async () => {
    const store = await storeWith(whole);
    const grants = 'version: 1\ngrants: [{ endpoint: order, consumer: nobody }]\n';
    assert.deepEqual(await problemsOf(grants, store), [
      '2:22: there is no endpoint "order"; did you mean "orders"?',
      '2:39: there is no consumer "nobody"',
    ]);
    const kept = 'version: 1\ngrants: [{ endpoint: orders, consumer: acme }]\n';
    assert.equal((await problemsOf(kept, store, { isPruning: true })).length, 2);
  });

  it('reports an endpoint that claims requests of a stored one', async () => {
    const store = await storeWith(whole);
    const other =
      'version: 1\nendpoints:\n  - { id: other, scenario: open, match: { paths: [{ prefix: /orders/ }] } }\n';
    assert.deepEqual(await problemsOf(other, store), [
      '3:41: this takes the same requests as the endpoint "orders" in the store (host any, prefix "/orders", method any); change one of them',
    ]);
    assert.equal(shortly(await plan(other, store, { isPruning: true })).at(-1), '- consumer acme');
  });
});

describe('credentials of a document and of a store', () => {
  it('keeps stored secrets that the document leaves out', async () => {
    const store = await storeWith(whole);
    const without = whole.replace(`, appSecret: "${SECRET}"`, '').replace(', appKey: acme-other-key', '');
    assert.deepEqual(shortly(await plan(without, store)), []);
    const before = await contentsOf(store);
    const edited = without.replace('method: hmac }', 'method: hmac, expiresAt: 2030-01-01T00:00:00Z }');
    await apply(edited, store);
    assert.deepEqual((await contentsOf(store)).credential.length, before.credential.length);
    assert.match(JSON.stringify((await contentsOf(store)).credential), new RegExp(SECRET));
  });

  it('leaves a running rotation alone when it has no secret, and ends it when it has another', async () => {
    const rotating = withCredentials(
      `{ id: a, method: hmac, appKey: k, appSecret: "${SECRET}", retiringSecret: { appSecret: "former ${SECRET}", expiresAt: 2030-01-01T00:00:00Z } }`,
    );
    const store = await storeWith(rotating);
    assert.deepEqual(shortly(await plan(withCredentials('{ id: a, method: hmac, appKey: k }'), store)), []);
    const later = '{ id: a, method: hmac, appKey: k, retiringSecret: { expiresAt: 2031-01-01T00:00:00Z } }';
    assert.deepEqual(shortly(await plan(withCredentials(later), store)), ['~ credential a']);
    const ended = withCredentials(`{ id: a, method: hmac, appKey: k, appSecret: "${SECRET}" }`);
    const [change] = (await plan(ended, store)).changes;
    assert.ok(change?.kind === 'credential' && secretsOf(change.after).retiringSecret === null);
  });

  it('leaves a rotation to another public key alone as long as it has the key of the store', async () => {
    const [former, current] = [1, 2].map(() =>
      JSON.stringify(generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })),
    );
    const keyOf = (jwk = '', rest = ''): string =>
      withCredentials(`{ id: a, method: oauth2, appKey: k, publicKey: { jwk: ${jwk} }${rest} }`);
    const rotating = `, retiringPublicKey: { publicKey: { jwk: ${former ?? ''} }, expiresAt: 2030-01-01T00:00:00Z }`;
    const store = await storeWith(keyOf(current, rotating));
    assert.deepEqual(shortly(await plan(keyOf(current), store)), []);
    assert.deepEqual(shortly(await plan(keyOf(current, rotating.replace('2030', '2031')), store)), ['~ credential a']);
    const [change] = (await plan(keyOf(former), store)).changes;
    assert.ok(change?.kind === 'credential' && change.after?.material.kind === 'public-key');
    assert.equal(change.after.material.retiringPublicKey, null);
    assert.equal(JSON.stringify(change.after.material.publicKey.jwk.kty), '"OKP"');
  });

  it('generates the App Key of a new credential with a public key, or takes the thumbprint', async () => {
    const jwk = JSON.stringify(generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }));
    const text = withCredentials(
      `{ id: a, method: oauth2, publicKey: { jwk: ${jwk} } }`,
      `{ id: b, method: oauth2, appKey: thumbprint, publicKey: { jwk: ${jwk} } }`,
    );
    const store = new MemoryResourceStore();
    const { generated } = await apply(text, store);
    assert.deepEqual(
      [...generated].map(([id, { appSecret }]) => [id, appSecret]),
      [['a', null]],
    );
    const keyed = await store.find('credential', 'b');
    assert.ok(keyed?.resource.material.kind === 'public-key');
    assert.equal(keyed.resource.appKey?.reveal().toString(), keyed.resource.material.publicKey.thumbprint);
    assert.deepEqual(shortly(await plan(text, store)), []);
  });

  it('generates the pair of a new credential once', async () => {
    const text = withCredentials('{ id: a, method: hmac }', '{ id: b, method: key }');
    const store = new MemoryResourceStore();
    const first = await apply(text, store);
    assert.deepEqual([...first.generated.keys()], ['a', 'b']);
    assert.match(first.generated.get('a')?.appSecret?.reveal().toString() ?? '', /^[\w-]{43}$/);
    assert.equal(first.generated.get('b')?.appSecret, null);
    const again = await apply(text, store);
    assert.deepEqual([shortly(again), again.generated.size], [[], 0]);
  });

  it('generates only what is missing', async () => {
    const planned = await plan(
      withCredentials(`{ id: a, method: hmac, appSecret: "${SECRET}" }`),
      new MemoryResourceStore(),
    );
    const generated = planned.generated.get('a');
    assert.deepEqual([generated?.appSecret, generated?.appKey === null], [null, false]);
  });

  it('finds a credential without id by its App Key, and names new ones after their consumer', async () => {
    const store = await storeWith(whole);
    const text = withCredentials(
      `{ method: hmac, appKey: acme-app-key, appSecret: "${SECRET}" }`,
      `{ method: hmac, appKey: k2, appSecret: "${SECRET}" }`,
      `{ method: hmac, appKey: k3, appSecret: "${SECRET}" }`,
      '{ method: key, appKey: k4 }',
    );
    const named = text.replace('id: acme\n', 'id: acme\n    name: Acme Ltd\n');
    assert.deepEqual(shortly(await plan(named, store)), [
      '+ credential acme-hmac-2',
      '+ credential acme-hmac-3',
      '+ credential acme-key-2',
    ]);
    await apply(named, store);
    assert.deepEqual(shortly(await plan(named, store)), []);
  });

  it('reports a missing secret that the store does not have either', async () => {
    const store = await storeWith(whole);
    assert.deepEqual(await problemsOf(withCredentials('{ id: new, method: hmac, appKey: k }'), store), [
      '5:9: "appSecret" is missing, and there is no stored credential "new" to keep it from; write it, or "appSecretFrom" with { env: NAME } or { file: PATH }',
    ]);
    const changed = '{ id: acme-key, method: hmac, appKey: another }';
    assert.match((await problemsOf(withCredentials(changed), store)).join(), /the stored credential has none/);
    const retiring = '{ id: acme-hmac, method: hmac, retiringSecret: { expiresAt: 2030-01-01T00:00:00Z } }';
    assert.deepEqual(await problemsOf(withCredentials(retiring), store), [
      '5:56: "retiringSecret" has no "appSecret", and the store has none to keep; write it, or remove the key',
    ]);
  });

  it('lets no credential change hands', async () => {
    const store = await storeWith(whole);
    const byId = withCredentials('{ id: acme-hmac, method: hmac }').replace('id: acme\n', 'id: other\n');
    assert.deepEqual(await problemsOf(byId, store), [
      '5:15: the credential "acme-hmac" belongs to the consumer "acme" in the store, and credentials do not change hands; give this one another id and App Key',
    ]);
    const byAppKey = withCredentials('{ method: key, appKey: acme-other-key }').replace('id: acme\n', 'id: other\n');
    assert.match((await problemsOf(byAppKey, store)).join(), /^5:9: the credential "acme-key" belongs/);
  });

  it('gives no App Key to another credential', async () => {
    const store = await storeWith(whole);
    for (const isPruning of [false, true]) {
      const taken = withCredentials('{ id: other, method: key, appKey: acme-other-key }');
      assert.deepEqual(await problemsOf(taken, store, { isPruning }), [
        '5:43: the App Key belongs to the credential "acme-key" in the store; an App Key is never given twice',
      ]);
      const twice = withCredentials(
        '{ id: acme-key, method: key, appKey: new }',
        '{ method: key, appKey: acme-other-key }',
      );
      assert.match(
        (await problemsOf(twice, store, { isPruning })).join(),
        /^6:32: this App Key is that of the credential "acme-key"/,
      );
    }
  });

  it('makes no public App Key a secret one', async () => {
    const store = await storeWith(whole);
    for (const same of ['', ', appKey: acme-app-key']) {
      const text = withCredentials(`{ id: acme-hmac, method: key${same} }`);
      assert.deepEqual(await problemsOf(text, store), [
        '5:9: the App Key of this credential was public with hmac; method key needs a secret one: give it a new "appKey"',
      ]);
    }
    const renewed = withCredentials('{ id: acme-hmac, method: key, appKey: new-secret-key }');
    assert.deepEqual(shortly(await plan(renewed, store)), ['~ consumer acme', '~ credential acme-hmac']);
  });

  it('keeps a hash where the document has one', async () => {
    const store = await storeWith(whole);
    const hash = 'c47be53bdb82d4a2a9a8fae1d9d71a2d3d2bcd7ac4b2d6cb9fd9d7a3ed0dd1de';
    const text = withCredentials(`{ id: hashed, method: key, appKeyHash: ${hash} }`);
    await apply(text, store);
    assert.deepEqual(shortly(await plan(text, store)), []);
    assert.deepEqual(shortly(await plan(withCredentials('{ id: hashed, method: key }'), store)), []);
    const open = withCredentials(`{ id: hashed, method: hmac, appSecret: "${SECRET}" }`);
    assert.match((await problemsOf(open, store)).join(), /the store has only its hash/);
  });
});
