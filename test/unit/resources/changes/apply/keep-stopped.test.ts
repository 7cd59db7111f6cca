import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Change } from '../../../../../src/resources/changes/change.ts';
import { stoppedBefore } from '../../../../../src/resources/changes/apply/keep-stopped.ts';
import { documentArbitrary } from '../../../../support/declarative/document-arbitrary.ts';
import { MemoryResourceStore, contentsOf } from '../../../../support/manage/memory-resource-store.ts';
import { apply, plan, problemsOf, shortly } from './support.ts';

const SECRET = 'a secret for tests, 32 characters';

/** A document in which everything stands that a command can stop, with these words for it. */
function document({ enabled = '', state = '', rest = '' } = {}): string {
  return `version: 1
endpoints:
  - { id: orders, scenario: partner-openapi, match: { paths: [{ prefix: /orders }] }, authentication: hmac${enabled} }
consumers:
  - id: acme
    labels: { a: b }${enabled.replace(', ', '\n    ')}
    credentials:
      - { id: acme-hmac, method: hmac, appKey: acme-app-key, appSecret: "${SECRET}"${state}${rest} }
`;
}

async function storeWith(text: string): Promise<MemoryResourceStore> {
  const store = new MemoryResourceStore();
  await apply(text, store);
  return store;
}

function stopped(changes: readonly Change[]): readonly string[] {
  return changes.flatMap((change) => {
    const was = stoppedBefore(change);
    return was === null ? [] : [`${change.kind} ${change.id} was ${was}`];
  });
}

describe('a document applied to what commands stopped', () => {
  it('keeps a disabled endpoint and consumer and a revoked credential stopped by saying nothing of them', async () => {
    const store = await storeWith(document({ enabled: ', enabled: false', state: ', state: revoked' }));
    const silent = await plan(document(), store);
    assert.deepEqual([silent.changes, silent.unchangedCount], [[], 3]);
    const pruned = await plan(document(), store, { isPruning: true });
    assert.deepEqual([pruned.changes, pruned.unchangedCount], [[], 3]);
  });

  it('changes the rest of what is stopped, which stays stopped', async () => {
    const store = await storeWith(document({ enabled: ', enabled: false', state: ', state: revoked' }));
    const edited = document({ rest: ', expiresAt: 2030-01-01T00:00:00Z' })
      .replace('/orders }', '/order }')
      .replace('a: b', 'a: c');
    const planned = await apply(edited, store);
    assert.deepEqual(shortly(planned), ['~ endpoint orders', '~ consumer acme', '~ credential acme-hmac']);
    assert.deepEqual(stopped(planned.changes), []);
    assert.equal((await store.find('endpoint', 'orders'))?.resource.enabled, false);
    assert.equal((await store.find('consumer', 'acme'))?.resource.enabled, false);
    assert.equal((await store.find('credential', 'acme-hmac'))?.resource.state, 'revoked');
  });

  it('knows a revoked credential by its App Key too', async () => {
    const store = await storeWith(document({ state: ', state: revoked' }));
    assert.deepEqual((await plan(document().replace('id: acme-hmac, ', ''), store)).changes, []);
  });

  it('gives a revoked credential no former secret back', async () => {
    const store = await storeWith(document({ state: ', state: revoked' }));
    for (const former of [`appSecret: "former ${SECRET}", `, '']) {
      const rest = `, retiringSecret: { ${former}expiresAt: 2030-01-01T00:00:00Z }`;
      assert.deepEqual((await plan(document({ rest }), store)).changes, []);
    }
  });

  it('lets a retiring credential end when the store says, or earlier', async () => {
    const end = ', expiresAt: 2028-01-01T00:00:00Z';
    const store = await storeWith(document({ state: ', state: retiring', rest: end }));
    for (const rest of ['', end, ', expiresAt: 2029-01-01T00:00:00Z']) {
      assert.deepEqual((await plan(document({ rest }), store)).changes, [], rest);
    }
    const [change] = (await plan(document({ rest: ', expiresAt: 2027-01-01T00:00:00Z' }), store)).changes;
    assert.ok(change?.kind === 'credential' && change.after !== null);
    assert.deepEqual([change.after.state, change.after.expiresAt], ['retiring', Date.UTC(2027, 0) / 1000]);
    assert.deepEqual(await problemsOf(document({ rest: ', notBefore: 2028-06-01T00:00:00Z' }), store), [
      '8:121: the credential "acme-hmac" is retiring in the store and ends at 2028-01-01T00:00:00Z; "notBefore" must be earlier',
    ]);
  });

  it('names what a document brings back that says so', async () => {
    const store = await storeWith(document({ enabled: ', enabled: false', state: ', state: revoked' }));
    const explicit = await plan(document({ enabled: ', enabled: true', state: ', state: active' }), store);
    assert.deepEqual(stopped(explicit.changes), [
      'endpoint orders was disabled',
      'consumer acme was disabled',
      'credential acme-hmac was revoked',
    ]);
    const retiring = ', state: retiring, expiresAt: 2028-01-01T00:00:00Z';
    const again = await plan(document({ state: retiring }), store);
    assert.deepEqual(stopped(again.changes), ['credential acme-hmac was revoked']);
    await apply(document({ state: retiring }), store);
    assert.deepEqual(stopped((await plan(document({ state: ', state: active' }), store)).changes), [
      'credential acme-hmac was retiring',
    ]);
    assert.deepEqual(stopped((await plan(document({ state: ', state: revoked' }), store)).changes), []);
    assert.deepEqual(stopped((await plan(document(), new MemoryResourceStore())).changes), []);
    assert.deepEqual(stopped((await plan('version: 1\n', store, { isPruning: true })).changes), []);
  });

  it('does not win over a revocation that came between plan and commit', async () => {
    const store = await storeWith(document());
    const { changes } = await plan(document({ rest: ', expiresAt: 2030-01-01T00:00:00Z' }), store);
    await apply(document({ state: ', state: revoked' }), store);
    await assert.rejects(async () => await store.commit(changes, { actor: 'ada', action: 'apply' }), /meanwhile/);
    assert.equal((await store.find('credential', 'acme-hmac'))?.resource.state, 'revoked');
  });

  it('brings nothing back by silence, whatever the documents', async () => {
    await fc.assert(
      fc.asyncProperty(documentArbitrary, documentArbitrary, fc.boolean(), async (former, next, isPruning) => {
        const store = new MemoryResourceStore();
        await apply(JSON.stringify(former), store);
        const silent = JSON.stringify(next, (key, value: unknown) => {
          const retires = typeof value === 'object' && value !== null && 'state' in value && value.state === 'retiring';
          if (retires) return { ...value, state: undefined };
          return key === 'enabled' || key === 'state' ? undefined : value;
        });
        assert.deepEqual(stopped((await plan(silent, store, { isPruning })).changes), []);
        await apply(silent, store, { isPruning });
        const before = await contentsOf(store);
        await apply(silent, store, { isPruning });
        assert.deepEqual(await contentsOf(store), before);
      }),
      { numRuns: 50 },
    );
  });
});
