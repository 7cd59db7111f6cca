import assert from 'node:assert/strict';
import { hashAppKey } from '../../../../src/model/app-key.ts';
import { consumerDefaults } from '../../../../src/model/consumer.ts';
import { Secret } from '../../../../src/model/secret.ts';
import { hourOf } from '../../../../src/model/traffic-count.ts';
import type { ManagedCredential } from '../../../../src/resources/resource.ts';
import { MemoryResourceStore } from '../../../support/manage/memory-resource-store.ts';
import { hiddenValue, NOW, TestConsole } from '../../../support/console/test-console.ts';
import { credential, grant, keyEndpoint, limit } from '../../../support/pipeline/resources.ts';

const day = 86_400;

const keyed = (id: string, expiresAt: number): ManagedCredential => ({
  ...credential({ id, consumerId: 'acme', expiresAt }),
  appKey: Secret.fromText(id),
  appKeyHash: hashAppKey(id),
});

describe('console: a consumer at a glance', () => {
  let console: TestConsole;
  let store: MemoryResourceStore;

  beforeEach(() => {
    store = new MemoryResourceStore({
      endpoints: [keyEndpoint()],
      consumers: ['acme', 'globex'].map((id) => ({ ...consumerDefaults, id })),
      credentials: [keyed('acme-1', NOW + 20 * day), keyed('acme-2', NOW + 5 * day), keyed('acme-3', NOW - day)],
    });
    store.usage.set('acme-1', { lastUsedAt: NOW - 2 * day, retiringSecretLastUsedAt: null });
    store.usage.set('acme-2', { lastUsedAt: NOW - 60, retiringSecretLastUsedAt: null });
    console = new TestConsole(store);
    console.add('alice', 'admin');
    console.add('victor', 'viewer');
  });

  /** The values above all others, by their names, without markup. */
  const glanceOf = async (who: string, id: string): Promise<Readonly<Record<string, string>>> => {
    const { text } = await console.open(who, `/consumers/${id}`);
    const [, section = ''] = /<section aria-labelledby="glance">([^]*?)<\/section>/.exec(text) ?? [];
    const pairs = [...section.matchAll(/<dt>([^<]*)<\/dt><dd>([^]*?)<\/dd>/g)];
    const plain = (markup: string): string =>
      markup
        .replaceAll(/<[^>]*>/g, '')
        .replaceAll(/\s+/g, ' ')
        .trim();
    return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, plain(value)]));
  };

  it('says whether it works, the last call, refusals, what ends next and who changed it', async () => {
    const path = '/consumers/acme/edit';
    const revision = hiddenValue(await console.open('alice', path), 'revision');
    await console.submit('alice', path, { revision, name: 'Acme' });
    const hour = hourOf(NOW) - 1;
    const counted = { endpointId: 'orders', consumerId: 'acme', hour };
    console.traffic.push({ ...counted, codes: { ALLOWED: 9, REQUEST_EXPIRED: 3, RATE_LIMITED: 2 } });
    console.traffic.push({ ...counted, hour: hour - 30, codes: { REQUEST_EXPIRED: 50 } });
    console.refusals.push({
      ...{ id: 'a'.repeat(24), atMs: (NOW - 600) * 1000, requestId: 'r-1', endpointId: 'orders', method: 'GET' },
      ...{ path: '/orders', code: 'REQUEST_EXPIRED', detail: 'late', isObserved: false, consumerId: 'acme' },
      ...{ credentialId: 'acme-1', sourceAddress: null, stringToSign: null, leftOut: 0 },
    });
    const made = await console.submit('alice', '/new/plan', { id: 'gold', limits: '12/month\r\n100/day' });
    assert.equal(made.status, 303, made.text);
    const { 'Last changed': changed, ...others } = await glanceOf('alice', 'acme');
    assert.deepEqual(others, {
      State: 'enabled 2 of 3 credentials work',
      'Last call': '2026-09-21 14:12 UTC, with acme-2',
      'Refused in 24 hours': '5, the newest kept 2026-09-21 14:03 UTC: REQUEST_EXPIRED',
      'Most used limit': '75 % of 12 each month (gold) 75 %',
      'Ends next': '2026-09-26 14:13 UTC: the credential acme-2',
    });
    assert.match(changed ?? '', /UTC by alice: console consumer edit$/);
  });

  it('says what is used of the limits of its grant and of the endpoint, shared ones too', async () => {
    const limits = [limit('20/day/consumer'), limit('100/hour/endpoint'), limit('5/minute/consumer')];
    console = new TestConsole(
      new MemoryResourceStore({
        endpoints: [keyEndpoint({ limits }), keyEndpoint({ id: 'stock', paths: [{ prefix: '/stock' }], limits })],
        consumers: ['acme', 'globex'].map((id) => ({ ...consumerDefaults, id })),
        credentials: [keyed('acme-1', NOW + 20 * day)],
        grants: [grant({ limits: [limit('10/day/consumer')] })],
      }),
    );
    console.add('victor', 'viewer');
    const hour = hourOf(NOW);
    console.traffic.push({ endpointId: 'orders', consumerId: 'acme', hour: hour - 2, codes: { ALLOWED: 6 } });
    console.traffic.push({ endpointId: 'orders', consumerId: 'acme', hour: hour - 30, codes: { ALLOWED: 70 } });
    console.traffic.push({ endpointId: 'orders', consumerId: null, hour, codes: { ALLOWED: 90, RATE_LIMITED: 9 } });
    console.traffic.push({ endpointId: 'stock', consumerId: 'acme', hour, codes: { ALLOWED: 1 } });
    assert.equal((await glanceOf('victor', 'acme'))['Most used limit'], '90 % of 100 each hour (orders) 90 %');
    const { text } = await console.open('victor', '/consumers/acme');
    const [, table = ''] = /<section aria-labelledby="limits">([^]*?)<\/section>/.exec(text) ?? [];
    const rows = [...table.matchAll(/<tr role="row"><th scope="row"[^>]*>([^]*?)<\/tr>/g)].map(([, row = '']) =>
      row
        .replaceAll(/<[^>]*>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim()
        .replace(/ \d{4}-.*$/, ''),
    );
    assert.deepEqual(rows, [
      'endpoint orders 100 each hour all callers 90 (90 %) 90 %',
      'its grant on orders 10 each day this consumer 6 (60 %) 60 %',
      'endpoint stock 20 each day this consumer 1 (5 %) 5 %',
      'endpoint stock 100 each hour all callers 0 (0 %) 0 %',
    ]);
    assert.doesNotMatch((await console.open('victor', '/consumers/globex')).text, /Limits used/);
  });

  it('says the same of one that does nothing, and no more than its reader may see', async () => {
    assert.deepEqual(Object.keys(await glanceOf('victor', 'acme')), [
      'State',
      'Last call',
      'Refused in 24 hours',
      'Ends next',
      'Last changed',
    ]);
    const { 'Last changed': changed, ...others } = await glanceOf('victor', 'globex');
    assert.deepEqual(others, {
      State: 'enabled no credentials',
      'Last call': 'never',
      'Refused in 24 hours': '0',
      'Ends next': 'nothing',
    });
    assert.match(changed ?? '', /^\d{4}-\d\d-\d\d \d\d:\d\d UTC$/);
  });
});
