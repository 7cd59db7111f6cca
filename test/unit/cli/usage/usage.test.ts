import assert from 'node:assert/strict';
import { parse } from 'yaml';
import { consumer, keyEndpoint } from '../../../support/pipeline/resources.ts';
import { memoryCli, type MemoryCli, nowSeconds } from '../nouns/memory-cli.ts';
import type { CommandResult } from '../run-cli.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;

/** Two partners and some days; it is 14:13 on 2026-09-21. */
async function cliWithTraffic(): Promise<MemoryCli> {
  const cli = await memoryCli({
    endpoints: [keyEndpoint(), keyEndpoint({ id: 'stock', paths: [{ prefix: '/stock' }] })],
    consumers: [consumer({ labels: { tier: 'gold' } }), consumer({ id: 'bolt' })],
  });
  const count = (endpoint: string, id: string | null, code: string, times: number, secondsAgo = 0): void => {
    for (let at = 0; at < times; at += 1) cli.traffic.count(endpoint, id, code, nowSeconds - secondsAgo);
  };
  count('orders', 'acme', 'ALLOWED', 8, 2 * DAY);
  count('orders', 'acme', 'REQUEST_EXPIRED', 2);
  count('orders', 'acme', 'RATE_LIMITED', 1, HOUR);
  count('stock', 'bolt', 'ALLOWED', 4);
  count('stock', null, 'AUTHENTICATION_FAILED', 1);
  count('orders', 'gone', 'ALLOWED', 16, 40 * DAY);
  return cli;
}

async function usage(args: string, given: Parameters<MemoryCli['run']>[1] = {}): Promise<CommandResult> {
  const cli = await cliWithTraffic();
  return await cli.run(['usage', ...args.split(' ').filter((word) => word !== '')], given);
}

const csv = async (args: string): Promise<readonly string[]> =>
  (await usage(`${args} -o csv`)).out.trimEnd().split('\n').slice(1);

describe('postern usage', () => {
  it('adds up all requests of a week by day, days without any too', async () => {
    const { code, out, err } = await usage('');
    assert.deepEqual([code, err], [0, '']);
    assert.equal(
      out,
      `DAY (UTC)   ALLOWED  REFUSED  LIMITED
2026-09-19        8        0        0
2026-09-20        0        0        0
2026-09-21        4        3        1
total            12        3        1

Refused with
  2  REQUEST_EXPIRED
  1  RATE_LIMITED
  1  AUTHENTICATION_FAILED
`,
    );
  });

  it('takes requests of one consumer, to one endpoint, and of consumers with a label', async () => {
    assert.equal((await usage('-o csv --consumer bolt')).out, 'day,allowed,refused,limited\n2026-09-21,4,0,0\n');
    assert.deepEqual(await csv('--endpoint stock'), ['2026-09-21,4,1,0']);
    assert.deepEqual(await csv('--endpoint stock --consumer acme'), []);
    assert.deepEqual(await csv('--label tier=gold --by month'), ['2026-09,8,2,1']);
    assert.deepEqual(await csv('--label tier=gold --consumer bolt'), []);
  });

  it('has a row for each hour, day, month, consumer or endpoint', async () => {
    assert.deepEqual(await csv('--by hour'), ['2026-09-21T13:00Z,0,0,1', '2026-09-21T14:00Z,4,3,0']);
    assert.deepEqual(await csv('--by month'), ['2026-08,16,0,0', '2026-09,12,3,1']);
    assert.deepEqual(await csv('--by consumer --since 60d'), ['gone,16,0,0', 'acme,8,2,1', 'bolt,4,0,0']);
    assert.deepEqual(await csv('--by endpoint'), ['orders,8,2,1', 'stock,4,1,0']);
  });

  it('begins with a whole hour, day or month', async () => {
    assert.deepEqual((await csv('--since 2026-09-19T23:00:00Z'))[0], '2026-09-19,8,0,0');
    assert.deepEqual(await csv('--by month --since 1h'), ['2026-09,12,3,1']);
    assert.deepEqual((await csv('--by hour --since 1h'))[0], '2026-09-21T13:00Z,0,0,1');
  });

  it('gives programs the same with the codes', async () => {
    const counts = { allowed: 4, refused: 1, limited: 0, codes: { ALLOWED: 4, AUTHENTICATION_FAILED: 1 } };
    const expected = { since: '2026-09-14T00:00:00Z', rows: [{ day: '2026-09-21', ...counts }], total: counts };
    assert.deepEqual(JSON.parse((await usage('--endpoint stock -o json')).out), expected);
    assert.deepEqual(parse((await usage('--endpoint stock -o yaml')).out), expected);
  });

  it('says when nothing was counted, and who does not exist', async () => {
    const idle = await usage('--consumer acme --endpoint stock');
    assert.deepEqual(idle, { code: 0, out: '', err: 'No requests were counted.\n' });
    const unknown = await usage('--consumer bold');
    assert.equal(unknown.code, 3);
    assert.match(unknown.err, /there is no consumer "bold"; did you mean "bolt"\?/);
    assert.equal((await usage('--endpoint ordres')).code, 3);
    assert.deepEqual((await csv('--consumer gone --since 60d')).length, 41, 'a deleted one has its counts');
  });

  it('refuses what it does not know', async () => {
    for (const args of ['--by week', '--since yesterday', '--label gold', '--consumer A', '-o xml']) {
      assert.equal((await usage(args)).code, 2, args);
    }
  });
});

describe('the picture of postern usage', () => {
  it('shows the parts of each row beside it, as wide as the terminal', async () => {
    const { out } = await usage('', { columns: 60, environment: { NO_COLOR: '1' } });
    const lines = out.split('\n');
    assert.deepEqual(lines.slice(1, 4), [
      `2026-09-19        8        0        0  ${'█'.repeat(21)}`,
      '2026-09-20        0        0        0',
      `2026-09-21        4        3        1  ${'█'.repeat(11)}${'▓'.repeat(2)}${'░'.repeat(8)}`,
    ]);
    assert.match(out, /█ allowed {2}▓ limited {2}░ refused {2}\(a block is about 1\)/);
    assert.ok(lines.every((line) => line.length <= 60));
  });

  it('has colours where they are wanted', async () => {
    const { out } = await usage('', { columns: 80 });
    for (const part of ['\u001b[32m█', '\u001b[31m░', '\u001b[33m▓']) assert.ok(out.includes(part), part);
  });

  it('is left out in a narrow terminal, and where there is none', async () => {
    for (const given of [{ columns: 45 }, {}]) assert.ok(!(await usage('', given)).out.includes('█'));
  });

  it('shows something of few requests beside many', async () => {
    const cli = await cliWithTraffic();
    for (let at = 0; at < 2000; at += 1) cli.traffic.count('orders', 'acme', 'ALLOWED', nowSeconds - DAY);
    const { out } = await cli.run(['usage'], { columns: 80, environment: { NO_COLOR: '1' } });
    assert.match(out, /^2026-09-19 .* {2}▏$/m);
    assert.match(out, /^2026-09-20 +2 000 /m);
  });
});
