import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RefusalRecord } from '../../../src/check/refusals/refusal-record.ts';
import { consumer } from '../../support/pipeline/resources.ts';
import { record } from '../../support/refusals/refused.ts';
import { startRememberingReplica } from '../../support/refusals/remembering-replica.ts';
import { temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { type MemoryCli, memoryCli, nowSeconds } from './nouns/memory-cli.ts';
import { type CommandResult, runCli } from './run-cli.ts';

const environment = { POSTERN_STORE: 'mongodb://127.0.0.1/postern' };

/** `postern` on a database with these refusals, the oldest first. */
async function cliWith(...records: readonly Partial<RefusalRecord>[]): Promise<MemoryCli> {
  const cli = await memoryCli({ consumers: [consumer()] });
  for (const parts of records) cli.refusals.add(record({ atMs: (nowSeconds - 60) * 1000, ...parts }));
  return cli;
}

describe('postern refusals', () => {
  it('joins what is the same to a person, the newest first', async () => {
    const cli = await cliWith(
      { path: '/orders/1', detail: 'the time is 301 s off', requestId: 'first' },
      { path: '/orders/2', detail: 'the time is 302 s off', requestId: 'second' },
      { code: 'RATE_LIMITED', detail: 'the limit is reached', requestId: 'third', isObserved: true },
      { endpointId: null, method: 'POST', path: '/oauth2/token', code: 'invalid_client', requestId: null },
    );
    const { code, out, err } = await cli.run(['refusals', '--consumer', 'acme'], { environment });
    assert.deepEqual([code, err], [0, '']);
    assert.equal(
      out,
      `
WHEN                     ENDPOINT  REQUEST             CODE                   TIMES  REQUEST ID  DETAIL
2026-09-21 14:12:20 UTC  -         POST /oauth2/token  invalid_client         1      -           the signature does not fit the request
2026-09-21 14:12:20 UTC  orders    GET /orders/7       RATE_LIMITED (passed)  1      third       the limit is reached
2026-09-21 14:12:20 UTC  orders    GET /orders/…       AUTHENTICATION_FAILED  2      second      the time is 302 s off
`.slice(1),
    );
  });

  it('gives programs each of them, and leaves out what is not known', async () => {
    const cli = await cliWith({ requestId: 'r', leftOut: 3, sourceAddress: null });
    const { out, err } = await cli.run(['refusals', '-o', 'json'], { environment });
    assert.deepEqual(JSON.parse(out), [
      {
        at: '2026-09-21T14:12:20.000Z',
        requestId: 'r',
        consumer: 'acme',
        credential: 'acme-hmac',
        endpoint: 'orders',
        method: 'GET',
        path: '/orders/7',
        code: 'AUTHENTICATION_FAILED',
        detail: 'the signature does not fit the request',
        leftOutBefore: 3,
      },
    ]);
    assert.equal(err, '3 more refusals, with whatever code, were too many to keep.\n');
  });

  it('selects by time, code, endpoint and credential', async () => {
    const cli = await cliWith(
      { atMs: (nowSeconds - 7200) * 1000, requestId: 'old' },
      { code: 'TOKEN_INVALID', requestId: 'token' },
      { endpointId: 'invoices', requestId: 'invoice' },
      { credentialId: 'acme-key', requestId: 'key' },
    );
    const ids = async (...args: readonly string[]): Promise<unknown> => {
      const { out } = await cli.run(['refusals', ...args, '-o', 'json'], { environment });
      return (JSON.parse(out) as { requestId: string }[]).map(({ requestId }) => requestId);
    };
    assert.deepEqual(await ids('--since', '1h'), ['key', 'invoice', 'token']);
    assert.deepEqual(await ids('--code', 'token_invalid'), ['token']);
    assert.deepEqual(await ids('--endpoint', 'invoices'), ['invoice']);
    assert.deepEqual(await ids('--credential', 'acme-key'), ['key']);
    assert.deepEqual(await ids('--limit', '1'), ['key']);
  });

  it('lists what no endpoint took apart, and finds each of it by its request id', async () => {
    const unmatched = { consumerId: null, credentialId: null, endpointId: null, code: 'ENDPOINT_NOT_FOUND' };
    const detail = 'the endpoint catalogue takes GET; the request is POST';
    const cli = await cliWith(
      { requestId: 'own' },
      { ...unmatched, method: 'POST', path: '/catalogue/1', detail, requestId: 'wrong-1' },
      { ...unmatched, method: 'POST', path: '/catalogue/2', detail, requestId: 'wrong-2', leftOut: 4 },
    );
    assert.ok(!(await cli.run(['refusals'], { environment })).out.includes('catalogue'));
    const { code, out, err } = await cli.run(['refusals', '--unmatched'], { environment });
    assert.deepEqual([code, err], [0, '4 more refusals, with whatever code, were too many to keep.\n']);
    assert.equal(
      out,
      `
WHEN                     ENDPOINT  REQUEST            CODE                TIMES  REQUEST ID  DETAIL
2026-09-21 14:12:20 UTC  -         POST /catalogue/…  ENDPOINT_NOT_FOUND  2      wrong-2     ${detail}
`.slice(1),
    );
    const shown = await cli.run(['refusals', '--unmatched', '-o', 'json', '--limit', '1'], { environment });
    const [only] = JSON.parse(shown.out) as Record<string, unknown>[];
    assert.deepEqual(
      [only?.['requestId'], only !== undefined && 'consumer' in only, only !== undefined && 'credential' in only],
      ['wrong-2', false, false],
    );
    const one = await cli.run(['refusals', '--request-id', 'wrong-1'], { environment });
    assert.match(one.out, /^404 ENDPOINT_NOT_FOUND: the endpoint catalogue takes GET; the request is POST\n/);
    assert.ok(!one.out.includes('consumer'));
    const explained = await cli.run(['explain', '--request-id', 'wrong-1'], { environment });
    assert.match(
      explained.out,
      /Wrong: the endpoint catalogue takes GET; the request is POST\. \[endpoint-not-found\]/,
    );
    assert.ok(!explained.out.includes('no longer there'), explained.out);
    const both = await cli.run(['refusals', '--unmatched', '--consumer', 'acme'], { environment });
    assert.deepEqual([both.code, both.out], [2, '']);
    const none = await (await cliWith({})).run(['refusals', '--unmatched'], { environment });
    assert.match(`${none.out}${none.err}`, /No such refusal of a request is kept that no endpoint took\./);
  });

  it('says how many are missing in the time that is shown', async () => {
    const cli = await cliWith({ leftOut: 1000, atMs: (nowSeconds - 90) * 1000 }, { leftOut: 40_000 }, {});
    const { err } = await cli.run(['refusals', '--consumer', 'acme', '--limit', '2'], { environment });
    assert.equal(
      err,
      'Only the newest 2 are shown; --limit shows more.\n40 000 more refusals, with whatever code, were too many to keep.\n',
    );
  });

  it('shows one by the first characters of its request id, with the string to sign', async () => {
    const cli = await cliWith({ requestId: 'baac2dab-20a4', stringToSign: 'date: x\nGET /orders/7 HTTP/1.1' });
    const { code, out } = await cli.run(['refusals', '--request-id', 'baac2dab'], { environment });
    assert.equal(code, 0);
    assert.equal(
      out,
      `401 AUTHENTICATION_FAILED: the signature does not fit the request
  when            2026-09-21 14:12:20 UTC (60 seconds ago)
  request         GET /orders/7
  endpoint        orders
  consumer        acme
  credential      acme-hmac
  came from       192.0.2.7
  request id      baac2dab-20a4
  string to sign  date: x
                  GET /orders/7 HTTP/1.1
`,
    );
  });

  it('fits a terminal: short request ids, and below each row the whole detail, which is the answer', async () => {
    const cli = await cliWith(
      { requestId: 'baac2dab-20a4-46e5-ae98-41a4cbf83ec1', path: '/orders/7/lines' },
      { code: 'NOT_AUTHORIZED', detail: 'the consumer acme has no grant', path: '/', requestId: null },
    );
    const shown = async (columns: number): Promise<string> =>
      (await cli.run(['refusals', '--consumer', 'acme'], { environment: { ...environment, NO_COLOR: '1' }, columns }))
        .out;
    assert.equal(
      await shown(80),
      `
WHEN                ENDPOINT  CODE                   TIMES  REQUEST ID
09-21 14:12:20 UTC  orders    NOT_AUTHORIZED         1      -
  GET /: the consumer acme has no grant
09-21 14:12:20 UTC  orders    AUTHENTICATION_FAILED  1      baac2dab
  GET /orders/7/lines: the signature does not fit the request
`.slice(1),
    );
    assert.match(await shown(110), /^WHEN {21}.*\n2026-09-21 14:12:20 UTC .*\n {2}the consumer acme has no grant\n/);
    assert.match(await shown(140), / REQUEST ID {2}DETAIL\n.* - {11}the consumer acme has no grant\n/);
  });

  it('knows the consumers of a declarative file, but not those of the replica that --admin names', async () => {
    await using folder = await temporaryDirectory();
    const path = join(folder.path, 'postern.yaml');
    writeFileSync(path, 'version: 1\nconsumers: [{ id: acme }]\n');
    await using replica = await startRememberingReplica();
    const file = { POSTERN_STORE: `file:${path}`, POSTERN_ADMIN_ADDRESS: replica.address };
    const run = async (id: string, ...args: readonly string[]): Promise<CommandResult> =>
      await runCli(['refusals', '--consumer', id, ...args], file);
    for (const output of ['table', 'json']) {
      assert.deepEqual(await run('acne', '-o', output), {
        code: 3,
        out: '',
        err: 'postern refusals: there is no consumer "acne"; did you mean "acme"?\n',
      });
    }
    assert.equal((await run('acme')).code, 0);
    assert.equal((await run('acne', '--admin', replica.address)).code, 0);
  });

  it('prints nothing that a terminal obeys', async () => {
    const cli = await cliWith({
      path: '/a\u001b[2Jb',
      detail: 'x\u202ey',
      method: 'G\nT',
      stringToSign: 'z\u0007\u009b',
    });
    for (const args of [[], ['--request-id', 'r'], ['-o', 'json'], ['-o', 'yaml']]) {
      const { out } = await cli.run(['refusals', ...args], { environment });
      assert.doesNotMatch(out, /[^\n\P{Cc}]|\u202e/u, args.join(' '));
    }
  });

  it('says when there is none, no such consumer, no such request and no such code', async () => {
    const cli = await cliWith();
    const run = async (...args: readonly string[]) => await cli.run(['refusals', ...args], { environment });
    assert.deepEqual(await run('--consumer', 'acme'), {
      code: 0,
      out: '',
      err: 'No such refusal of a known caller is kept.\n',
    });
    assert.deepEqual(await run('--consumer', 'acne'), {
      code: 3,
      out: '',
      err: 'postern refusals: there is no consumer "acne"; did you mean "acme"?\n',
    });
    const asData = await run('--consumer', 'acne', '-o', 'json');
    assert.deepEqual([asData.code, asData.out], [3, '']);
    const none = await run('--request-id', 'r-9');
    assert.equal(none.code, 3);
    assert.match(none.err, /^postern refusals: no refusal with the request id r-9 is kept: the request passed, /);
    const misspelt = await run('--code', 'AUTHENTICATION_FAILD');
    assert.equal(misspelt.code, 2);
    assert.match(misspelt.err, /There is no such code\. Did you mean AUTHENTICATION_FAILED\?/);
    assert.equal((await run('--follow', '--request-id', 'r')).code, 2);
  });
});
