import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../../src/base/clock.ts';
import { ringText } from '../../support/keyring/test-key-ring.ts';
import { release } from '../../support/lifetime/release.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { type AllowedAnswer, headerOf, type RefusedAnswer } from '../../support/pipeline/answer.ts';
import { useRateLimitService } from '../../support/ratelimit/use-rate-limit-service.ts';
import { runCli } from '../../unit/cli/run-cli.ts';
import { type GatewayUnderTest, startTestGateway } from '../mongodb/gateway-under-test.ts';

const DAY = 86_400;
const [year, month] = [new Date().getUTCFullYear(), new Date().getUTCMonth()];
const monthStarts = Date.UTC(year, month) / 1000;
const monthEnds = Date.UTC(year, month + 1) / 1000;
const days = (monthEnds - monthStarts) / DAY;

/** The machine's clock, set to noon of a day of this month or a later one; what has passed is not changed. */
class SetClock implements Clock {
  #aheadSeconds = 0;

  setToNoonOf(day: number): void {
    this.#aheadSeconds = monthStarts + (day - 0.5) * DAY - systemClock.nowSeconds();
  }

  nowSeconds(): number {
    return systemClock.nowSeconds() + this.#aheadSeconds;
  }

  nowMs(): number {
    return systemClock.nowMs();
  }

  elapsedMs(): number {
    return systemClock.elapsedMs();
  }
}

/** JSON is YAML. Two endpoints of three have one plan, and one of them a limit of its own. */
const document = JSON.stringify({
  version: 1,
  plans: [
    {
      id: 'gold',
      consumerSelector: { tier: 'gold' },
      endpoints: ['orders', 'stock'],
      limits: [{ requests: 20, unit: 'month' }],
    },
  ],
  endpoints: ['orders', 'stock', 'free'].map((id) => ({
    ...{ id, scenario: 'partner-openapi', authentication: 'key', match: { paths: [{ prefix: `/${id}` }] } },
    ...(id === 'stock' ? { trafficControl: { limits: [{ requests: 12, unit: 'month', per: 'consumer' }] } } : {}),
  })),
  consumers: ['acme', 'globex'].map((id) => ({
    ...{ id, labels: { tier: 'gold' } },
    credentials: [{ id: `${id}-key`, method: 'key', appKey: `key-of-${id}` }],
  })),
});

describe('a month of a plan, over two endpoints, two replicas and the rate limit service', function () {
  this.timeout(120_000);
  const database = useDatabase();
  const limits = useRateLimitService();
  const clock = new SetClock();
  let folder: TemporaryDirectory;
  let replicas: GatewayUnderTest[] = [];
  let sent = 0;

  before(async () => {
    folder = await temporaryDirectory();
    const file = join(folder.path, 'postern.json');
    await writeFile(file, document);
    await run(`apply -f ${file} --yes`);
    clock.setToNoonOf(1);
    await start();
  });
  after(() => release(...replicas, folder));

  async function start(): Promise<void> {
    const service = `127.0.0.1:${String(limits.service().port)}`;
    replicas = [];
    for (const name of ['pod-a', 'pod-b']) {
      const settings = {
        POSTERN_REPLICA_NAME: name,
        POSTERN_RATE_LIMIT_SERVICE: service,
        POSTERN_RATE_LIMIT_DEADLINE_MS: '5000',
      };
      replicas.push(await startTestGateway(database.uri(), settings, clock));
    }
    await Promise.all(replicas.map(({ gateway }) => gateway.ready));
  }

  async function run(command: string): Promise<string> {
    const { code, out, err } = await runCli(command.split(' '), {
      ...{ POSTERN_STORE: database.uri(), POSTERN_KEYRING: 'env:KEY_RING', KEY_RING: ringText(1) },
      POSTERN_RATE_LIMIT_SERVICE: 'somewhere:8081',
    });
    assert.equal(code, 0, err);
    return out;
  }

  /** Asks the replicas in turn. */
  async function ask(endpoint: string, consumer = 'acme'): Promise<AllowedAnswer | RefusedAnswer> {
    sent += 1;
    const replica = replicas[sent % replicas.length];
    assert.ok(replica !== undefined);
    return await replica.ask({ path: `/${endpoint}/1`, headers: [['x-app-key', `key-of-${consumer}`]] });
  }

  const codeOf = (answer: AllowedAnswer | RefusedAnswer): string =>
    answer.kind === 'allowed' ? 'ALLOWED' : answer.body.code;

  /** The limit that the headers name: of how many, how many are left, and in how many days they are there again. */
  function toldOf(answer: AllowedAnswer | RefusedAnswer): readonly [of: string, left: string, days: number] {
    const headers = answer.kind === 'allowed' ? answer.responseHeaders : answer.headers;
    const told = (name: string): string => headerOf(headers, `x-ratelimit-${name}`) ?? '';
    return [told('limit'), told('remaining'), Math.round((Number(told('reset')) / DAY) * 10) / 10];
  }

  async function nearLimit(): Promise<readonly string[]> {
    const texts = await Promise.all(replicas.map(async (replica) => (await replica.admin('/metrics')).text));
    return texts.map((text) => /^postern_plan_consumers_near_limit\{plan="gold"\} (\d+)$/m.exec(text)?.[1] ?? 'none');
  }

  it('is used up day by day at either endpoint, and the headers name what leaves least', async () => {
    for (const day of [2, 3, 4, 5, 6]) {
      clock.setToNoonOf(day);
      const [first, second, third] = [await ask('orders'), await ask('stock'), await ask('orders')];
      assert.deepEqual([first, second, third].map(codeOf), ['ALLOWED', 'ALLOWED', 'ALLOWED']);
      const left = 20 - (day - 2) * 3;
      const daysLeft = days - day + 0.5;
      assert.deepEqual(toldOf(first), ['20', String(left - 1), daysLeft]);
      const ofStock = 12 - (day - 1);
      assert.deepEqual(
        toldOf(second),
        ofStock < left - 2 ? ['12', String(ofStock), daysLeft] : ['20', String(left - 2), daysLeft],
      );
      assert.deepEqual(toldOf(third), ['20', String(left - 3), daysLeft]);
    }
    assert.deepEqual(await nearLimit(), ['none', 'none']);
    assert.deepEqual(toldOf(await ask('orders', 'globex')), ['20', '19', days - 6 + 0.5]);
  });

  it('is warned of from 80 % on, at each replica that saw it', async () => {
    await ask('orders');
    await ask('orders');
    assert.deepEqual(await nearLimit(), ['1', '1']);
  });

  it('ends when it is used up, for all of its endpoints and at both replicas, and for no other', async () => {
    clock.setToNoonOf(20);
    const codes = [];
    for (const endpoint of ['orders', 'orders', 'stock', 'orders', 'stock']) codes.push(codeOf(await ask(endpoint)));
    assert.deepEqual(codes, ['ALLOWED', 'ALLOWED', 'ALLOWED', 'RATE_LIMITED', 'RATE_LIMITED']);
    for (const endpoint of ['orders', 'stock']) {
      const refused = await ask(endpoint);
      assert.ok(refused.kind === 'refused');
      assert.equal(refused.status, 429);
      assert.deepEqual(toldOf(refused), ['20', '0', days - 20 + 0.5]);
      assert.equal(headerOf(refused.headers, 'retry-after'), headerOf(refused.headers, 'x-ratelimit-reset'));
    }
    assert.equal(codeOf(await ask('free')), 'ALLOWED');
    assert.equal(codeOf(await ask('orders', 'globex')), 'ALLOWED');
  });

  it('is shown as used, also after a restart of both replicas, which frees nothing', async () => {
    await release(...replicas);
    const until = new Date(monthEnds * 1000).toISOString().replace('.000', '');
    const { plans } = JSON.parse(await run('usage --consumer acme -o json')) as { readonly plans: readonly object[] };
    assert.deepEqual(plans, [{ plan: 'gold', consumer: 'acme', requests: 20, unit: 'month', used: 20, until }]);
    await start();
    assert.deepEqual([codeOf(await ask('orders')), codeOf(await ask('stock'))], ['RATE_LIMITED', 'RATE_LIMITED']);
  });

  it('begins anew with the next month', async () => {
    clock.setToNoonOf(days);
    assert.equal(codeOf(await ask('orders')), 'RATE_LIMITED');
    clock.setToNoonOf(days + 1);
    const nextDays = (Date.UTC(year, month + 2) / 1000 - monthEnds) / DAY;
    for (const left of ['19', '18', '17', '16']) {
      const answer = await ask('orders');
      assert.equal(codeOf(answer), 'ALLOWED');
      assert.deepEqual(toldOf(answer), ['20', left, nextDays - 0.5]);
    }
    assert.deepEqual(await nearLimit(), ['0', '0']);
  });
});
