import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { DemoInterrupted } from '../../../../src/cli/demo/demo-failure.ts';
import { makeDemoKeyPairs } from '../../../../src/cli/demo/demo-keys.ts';
import { DemoClient } from '../../../../src/cli/demo/exchange.ts';
import { type DemoRow, plainRequest } from '../../../../src/cli/demo/row.ts';
import { runRow } from '../../../../src/cli/demo/run-row.ts';
import { type ShownRow } from '../../../../src/cli/demo/table.ts';

/** Answers the first requests with one body, all others with another, and `/broken` not at all. */
const ok = 'GET /\nx-consumer-id: acme\n';
const limited = JSON.stringify({ code: 'RATE_LIMITED', message: 'Too many requests.', requestId: '1' });

describe('a row of the demo', () => {
  let server: Server;
  let authority = '';
  let count = 0;
  const client = new DemoClient({ elapsedMs: () => 0 });
  const keys = makeDemoKeyPairs();

  before(async () => {
    server = createServer((request, response) => {
      if (request.url === '/broken') {
        request.socket.destroy();
        return;
      }
      count += 1;
      response.writeHead(count < 4 ? 200 : 429).end(count < 4 ? ok : limited);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    authority = `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  });
  beforeEach(() => {
    count = 0;
  });
  after(() => {
    client[Symbol.dispose]();
    server.close();
  });

  const row = (fields: Partial<DemoRow>, path = '/'): DemoRow => ({
    title: 'a request',
    expected: '200 as acme',
    request: (moment) => plainRequest(moment, 'GET', path),
    ...fields,
  });
  const run = async (demoRow: DemoRow, signal = new AbortController().signal): Promise<ShownRow> =>
    await runRow(demoRow, client, () => ({ authority, tlsAuthority: '', nowSeconds: 0, keys }), signal);

  it('is right when the answer is the expected one', async () => {
    const shown = await run(row({ examine: () => ({ notes: ['seen'], fault: null }) }));
    assert.deepEqual(
      { isRight: shown.isRight, got: shown.got, notes: shown.notes },
      { isRight: true, got: '200 as acme', notes: ['seen'] },
    );
  });

  it('is wrong when something else comes, and shows it', async () => {
    const shown = await run(row({ expected: '401 AUTHENTICATION_FAILED' }));
    assert.deepEqual(
      [shown.isRight, shown.got, shown.notes],
      [false, '200 as acme', ['the answer was 200 GET / x-consumer-id: acme']],
    );
  });

  it('is wrong when a closer look finds a fault', async () => {
    const shown = await run(row({ examine: () => ({ notes: ['seen'], fault: 'the key reached the back end' }) }));
    assert.deepEqual([shown.isRight, shown.notes], [false, ['seen', 'the key reached the back end']]);
  });

  it('is wrong when no answer comes, and says why', async () => {
    const shown = await run(row({}, '/broken'));
    assert.deepEqual([shown.isRight, shown.got, shown.latencyMs], [false, 'no answer', null]);
    assert.match(shown.notes.join(), /socket hang up/);
  });

  it('is sent again until the expected answer comes', async () => {
    const shown = await run(row({ expected: '429 RATE_LIMITED', maxTries: 7 }));
    assert.deepEqual([shown.isRight, count], [true, 4]);
  });

  it('is sent no more often than said', async () => {
    const shown = await run(row({ expected: '429 RATE_LIMITED', maxTries: 2 }));
    assert.deepEqual([shown.isRight, count], [false, 2]);
  });

  it('can ask for something before, and goes by what came', async () => {
    const seen: (number | undefined)[] = [];
    const demoRow = row({
      before: (moment) => plainRequest(moment, 'GET', '/first'),
      request: (moment, before) => {
        seen.push(before?.status);
        return plainRequest(moment, 'GET', '/');
      },
    });
    assert.deepEqual([(await run(demoRow)).isRight, seen, count], [true, [200], 2]);
  });

  it('is wrong when what it asks for before does not come', async () => {
    const shown = await run(row({ before: (moment) => plainRequest(moment, 'GET', '/broken') }));
    assert.deepEqual([shown.isRight, shown.got], [false, 'no answer']);
  });

  it('gives way to an interruption', async () => {
    const reason = new DemoInterrupted();
    await assert.rejects(run(row({}), AbortSignal.abort(reason)), reason);
  });
});
