import assert from 'node:assert/strict';
import { AdminServer } from '../../../../src/gateway/serving/admin-server.ts';
import { hourOf, type TrafficCount } from '../../../../src/model/traffic-count.ts';
import { TrafficMemory } from '../../../../src/stores/traffic/traffic-memory.ts';
import { NOON } from '../../../support/time/fixed-clock.ts';

const hour = hourOf(NOON);

describe('the counts of requests at the admin listener', () => {
  const traffic = new TrafficMemory();
  let server: AdminServer;
  let url: string;

  before(async () => {
    traffic.count('orders', 'acme', 'ALLOWED', NOON);
    traffic.count('stock', 'bolt', 'RATE_LIMITED', NOON);
    server = new AdminServer({
      findUnreadiness: () => null,
      findNotice: () => null,
      collectMetrics: async () => await Promise.resolve({ text: '', contentType: 'text/plain' }),
      traffic,
    });
    await server.start({ kind: 'tcp', host: '127.0.0.1', port: 0 });
    const address = server.address();
    assert.ok(address.kind === 'tcp');
    url = `http://127.0.0.1:${String(address.port)}/usage`;
  });
  after(() => server[Symbol.asyncDispose]());

  const read = async (query: string): Promise<readonly TrafficCount[]> => {
    const response = await fetch(`${url}${query}`);
    assert.equal(response.status, 200);
    const lines = (await response.text()).split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as TrafficCount);
  };

  it('are one a line, of all callers or of each', async () => {
    const acme = { endpointId: 'orders', consumerId: 'acme', hour, codes: { ALLOWED: 1 } };
    assert.deepEqual(await read('?endpoint=orders'), [{ ...acme, consumerId: null }]);
    assert.deepEqual(await read('?endpoint=orders&consumers=each'), [acme]);
    assert.equal((await read(`?since=${String(hour)}`)).length, 2);
    assert.deepEqual(await read(`?since=${String(hour + 1)}`), []);
  });

  it('are shown neither to a browser nor through a proxy, and not for a time that is none', async () => {
    for (const header of ['origin', 'x-forwarded-for']) {
      const response = await fetch(url, { headers: { [header]: 'http://elsewhere.example' } });
      assert.equal(response.status, 403);
      assert.match(await response.text(), /^counts of requests are shown neither through a proxy nor to a browser/);
    }
    const wrong = await fetch(`${url}?since=yesterday`);
    assert.deepEqual([wrong.status, await wrong.text()], [400, 'since must be whole hours since 1970\n']);
  });
});
