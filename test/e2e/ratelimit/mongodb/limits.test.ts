import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { systemClock } from '../../../../src/base/clock.ts';
import { send } from '../../../support/http/http-client.ts';
import { fieldValue, type HttpAnswer } from '../../../support/http/http-message.ts';
import { poll } from '../../../support/time/poll.ts';
import { useRateLimitService } from '../../../support/ratelimit/use-rate-limit-service.ts';
import { release } from '../../../support/lifetime/release.ts';
import { temporaryDirectory } from '../../../support/lifetime/temporary-directory.ts';
import {
  codeOf,
  type HandedOver,
  keyedWith,
  type MongodbStack,
  startMongodbStack,
} from '../../mongodb/mongodb-stack.ts';

const hourSeconds = 3600;
const daySeconds = 86_400;

/** What an answer tells of its limit. */
interface Told {
  readonly status: number;
  readonly code: string | undefined;
  /** `3/86400`: requests in a window of so many seconds; null when it tells of no limit. */
  readonly policy: string | null;
  readonly remaining: number;
}

describe('limits in MongoDB, counted by the rate limit service for two replicas', function () {
  this.timeout(60_000);
  const running = useRateLimitService();
  let stack: MongodbStack;
  let acme: HandedOver;
  let beta: HandedOver;

  before(async () => {
    stack = await startMongodbStack(2, {
      POSTERN_RATE_LIMIT_SERVICE: `127.0.0.1:${String(running.service().port)}`,
      // Whether the service is in time is not what these tests are about.
      POSTERN_RATE_LIMIT_DEADLINE_MS: '5000',
    });
    await stack.postern('consumer create beta');
    acme = await stack.handOver('credential issue --consumer acme --method key --id acme-key');
    beta = await stack.handOver('credential issue --consumer beta --method key --id beta-key');
    for (const credential of [acme, beta]) await stack.untilEverywhere(() => keyedWith(credential), 200);
  });
  after(() => release(stack));

  /** Every test counts on an endpoint of its own. */
  async function endpoint(id: string, ...limits: readonly string[]): Promise<string> {
    const flags = limits.map((each) => ` --limit ${each}`).join('');
    await stack.postern(`endpoint create ${id} --path /${id} --authentication key${flags}`);
    await everywhere(id, ({ code }) => code !== 'ENDPOINT_NOT_FOUND', null);
    return id;
  }

  async function call(id: string, who: HandedOver | null, replica: number): Promise<Told> {
    const headers: [string, string][] = who === null ? [] : [['X-App-Key', who.appKey]];
    return told(await send('HTTP/1.1', stack.replica(replica % 2).envoy.port, { target: `/${id}`, headers }));
  }

  /** Calls each replica until its answer is so; gives the first such answer of all. Without a caller nothing is used up. */
  async function everywhere(id: string, isSo: (answer: Told) => boolean, who: HandedOver | null = acme): Promise<Told> {
    const first: Told[] = [];
    for (const replica of stack.replicas.keys()) {
      let last: Told | null = null;
      const found = await poll(`the change at replica ${String(replica)}`, async () => {
        last = await call(id, who, replica);
        return isSo(last) ? last : null;
      }).catch((error: unknown) => {
        throw new Error(`the last answer was ${JSON.stringify(last)}`, { cause: error });
      });
      first.push(found);
    }
    assert.ok(first[0]);
    return first[0];
  }

  async function callAll(id: string, who: HandedOver, count: number): Promise<readonly Told[]> {
    return await Promise.all(Array.from({ length: count }, async (_, number) => await call(id, who, number)));
  }

  it('let exactly as many of 200 calls at once pass at both replicas as they say', async () => {
    const id = await endpoint('exact', '37/day/consumer');
    const answers = await callAll(id, acme, 200);
    assert.deepEqual(countsOf(answers), { '200 37/86400': 37, 'RATE_LIMITED 37/86400': 163 });
    assert.deepEqual(
      answers.flatMap(({ status, remaining }) => (status === 200 ? [remaining] : [])).sort((a, b) => a - b),
      Array.from({ length: 37 }, (_, index) => index),
    );
  });

  it('of several units and scopes hold at once, and the tightest is told', async () => {
    const id = await endpoint(
      'several',
      '4/day/consumer',
      '100/hour/consumer',
      '6/day/endpoint',
      '1000/minute/endpoint',
    );
    const [first] = await callAll(id, acme, 1);
    assert.deepEqual([first?.policy, first?.remaining], [`4/${String(daySeconds)}`, 3]);
    assert.deepEqual(countsOf(await callAll(id, acme, 20)), { '200 4/86400': 3, 'RATE_LIMITED 4/86400': 17 });
    // Of six for all, four are used; the seventh is within beta's own.
    const others = [await call(id, beta, 0), await call(id, beta, 1), await call(id, beta, 0)];
    assert.deepEqual(countsOf(others), { '200 6/86400': 2, 'RATE_LIMITED 6/86400': 1 });
  });

  it('are in force at both replicas when "limit set" says so, and gone after "limit clear"', async () => {
    const id = await endpoint('commands');
    assert.deepEqual(
      (await callAll(id, acme, 2)).map(({ policy }) => policy),
      [null, null],
    );
    await stack.postern(`limit set 2/day/consumer --endpoint ${id}`);
    await everywhere(id, ({ code }) => code === 'RATE_LIMITED');
    assert.equal((await call(id, beta, 0)).status, 200, 'beta has its own');
    await stack.postern(`limit clear --endpoint ${id}`);
    await everywhere(id, ({ status, policy }) => status === 200 && policy === null);
  });

  it('that are raised let a consumer through who is over them, and go on counting', async () => {
    const id = await endpoint('raised', '2/day/consumer');
    assert.equal((await callAll(id, acme, 6)).filter(({ status }) => status === 200).length, 2);
    await stack.postern(`limit set 100000/day/consumer --endpoint ${id}`);
    const first = await everywhere(id, ({ status }) => status === 200);
    assert.equal(first.policy, `100000/${String(daySeconds)}`);
    assert.ok(first.remaining < 100_000 - 2, 'what was counted before counts');
  });

  it('that are lowered refuse a consumer who had some left', async () => {
    const id = await endpoint('lowered', '100/day/consumer');
    assert.deepEqual(countsOf(await callAll(id, acme, 5)), { '200 100/86400': 5 });
    await stack.postern(`limit set 3/day/consumer --endpoint ${id}`);
    const first = await everywhere(id, ({ code }) => code === 'RATE_LIMITED');
    assert.deepEqual([first.policy, first.remaining], [`3/${String(daySeconds)}`, 0]);
    assert.equal((await call(id, beta, 1)).remaining, 2, 'beta has used nothing');
  });

  it('of another unit begin a count of their own', async () => {
    const id = await endpoint('unit', '1/day/consumer');
    await everywhere(id, ({ code }) => code === 'RATE_LIMITED');
    await stack.postern(`limit set 50/hour/consumer --endpoint ${id}`);
    const first = await everywhere(id, ({ status }) => status === 200);
    assert.deepEqual([first.policy, first.remaining], [`50/${String(hourSeconds)}`, 49]);
    // The former unit's count is still there.
    await stack.postern(`limit set 1/day/consumer --endpoint ${id}`);
    await everywhere(id, ({ code, policy }) => code === 'RATE_LIMITED' && policy === `1/${String(daySeconds)}`);
  });

  it('of one consumer take the place of those of the endpoint, until they are cleared', async () => {
    const id = await endpoint('own', '1/day/consumer');
    await everywhere(id, ({ code }) => code === 'RATE_LIMITED');
    await stack.postern(`grant add --endpoint ${id} --consumer acme`);
    await stack.postern(`limit set 100000/day --endpoint ${id} --consumer acme`);
    await everywhere(id, ({ status, policy }) => status === 200 && policy === `100000/${String(daySeconds)}`);
    await everywhere(id, ({ code }) => code === 'RATE_LIMITED', beta);
    await stack.postern(`limit clear --endpoint ${id} --consumer acme`);
    await everywhere(id, ({ code, policy }) => code === 'RATE_LIMITED' && policy === `1/${String(daySeconds)}`);
  });

  it('of a plan hold over several endpoints at both replicas, are told in headers, and are gone with it', async () => {
    const ids = [await endpoint('planned-a', '50/day/consumer'), await endpoint('planned-b')];
    await stack.postern(`plan set joint --endpoint ${ids.join(' --endpoint ')} --limit 9/day --limit 100000/month`);
    await everywhere(
      ids[1] ?? '',
      ({ status, policy }) => status === 200 && policy === `9/${String(daySeconds)}`,
      beta,
    );
    const answers = await Promise.all(
      Array.from({ length: 30 }, async (_, number) => await call(ids[number % 2] ?? '', acme, number >> 1)),
    );
    assert.deepEqual(countsOf(answers), { '200 9/86400': 9, 'RATE_LIMITED 9/86400': 21 });
    assert.deepEqual(
      answers.flatMap(({ status, remaining }) => (status === 200 ? [remaining] : [])).sort((a, b) => a - b),
      [0, 1, 2, 3, 4, 5, 6, 7, 8],
    );
    // 401 uses up nothing, and neither does another consumer.
    await callAll(ids[0] ?? '', { ...acme, appKey: 'of-nobody' }, 5);
    const other = await call(ids[0] ?? '', beta, 0);
    assert.deepEqual([other.status, other.policy], [200, `9/${String(daySeconds)}`]);
    await stack.postern('plan delete joint --yes');
    await everywhere(ids[1] ?? '', ({ status, policy }) => status === 200 && policy === null);
  });

  it('come with "apply", for endpoints and grants, and change with it', async () => {
    await using folder = await temporaryDirectory();
    const file = join(folder.path, 'applied.yaml');
    const apply = async (endpointRequests: number, grantRequests: number): Promise<string> => {
      const limits = (requests: number) => [{ requests, unit: 'day', per: 'consumer' }];
      const document = {
        version: 1,
        endpoints: [
          {
            id: 'applied',
            scenario: 'partner-openapi',
            match: { paths: [{ prefix: '/applied' }] },
            authentication: 'key',
            trafficControl: { limits: limits(endpointRequests) },
          },
        ],
        grants: [{ endpoint: 'applied', consumer: 'beta', limits: limits(grantRequests) }],
      };
      await writeFile(file, JSON.stringify(document));
      return await stack.postern(`apply -f ${file}`);
    };
    await apply(2, 4);
    await everywhere('applied', ({ code }) => code !== 'ENDPOINT_NOT_FOUND', null);
    assert.deepEqual(countsOf(await callAll('applied', acme, 10)), { '200 2/86400': 2, 'RATE_LIMITED 2/86400': 8 });
    assert.deepEqual(countsOf(await callAll('applied', beta, 10)), { '200 4/86400': 4, 'RATE_LIMITED 4/86400': 6 });
    await apply(100_000, 200_000);
    await everywhere('applied', ({ status, policy }) => status === 200 && policy === `100000/${String(daySeconds)}`);
    await everywhere(
      'applied',
      ({ status, policy }) => status === 200 && policy === `200000/${String(daySeconds)}`,
      beta,
    );
    await apply(1, 1);
    for (const who of [acme, beta]) await everywhere('applied', ({ code }) => code === 'RATE_LIMITED', who);
  });

  it('that are edited while partners call let exactly as many pass as each says, and fail nobody', async () => {
    const id = await endpoint('edited', '30/day/consumer');
    const answers: Told[] = [];
    let isOver = false;
    const callers = [0, 1, 0, 1].map(async (replica) => {
      while (!isOver) {
        answers.push(await call(id, acme, replica));
        // Without a rest they take the machine from the change that they wait for.
        await rest(10);
      }
    });
    const until = async (what: string, isSo: (answer: Told) => boolean): Promise<void> => {
      const from = answers.length;
      await poll(what, () => Promise.resolve(answers.slice(from).some(isSo) ? true : null));
    };
    try {
      await until('the first limit', ({ policy, code }) => policy === '30/86400' && code === 'RATE_LIMITED');
      await stack.postern(`limit set 40/day/endpoint --endpoint ${id}`);
      await until('the second limit', ({ policy, code }) => policy === '40/86400' && code === 'RATE_LIMITED');
      await stack.postern(`limit clear --endpoint ${id}`);
      await until('no limit', ({ policy, status }) => policy === null && status === 200);
      // A window that ended now would let twice as many pass.
      const secondsLeft = (): number => hourSeconds - (systemClock.nowSeconds() % hourSeconds);
      await poll('an hour that does not end now', () => Promise.resolve(secondsLeft() > 5 ? true : null));
      await stack.postern(`limit set 25/hour/endpoint --endpoint ${id}`);
      await until('the third limit', ({ policy, code }) => policy === '25/3600' && code === 'RATE_LIMITED');
    } finally {
      isOver = true;
      await Promise.all(callers);
    }
    const counts = countsOf(answers);
    const { '200 null': unlimited, ...limited } = counts;
    assert.ok(unlimited !== undefined && unlimited > 0);
    assert.deepEqual(Object.fromEntries(Object.entries(limited).filter(([outcome]) => outcome.startsWith('200'))), {
      '200 30/86400': 30,
      '200 40/86400': 40,
      '200 25/3600': 25,
    });
    assert.deepEqual(
      Object.keys(limited).filter((outcome) => !/^(200|RATE_LIMITED) /.test(outcome)),
      [],
    );
  });
});

function told(answer: HttpAnswer): Told {
  const policy = /^"default";q=(\d+);w=(\d+)$/.exec(fieldValue(answer.headers, 'ratelimit-policy') ?? '');
  return {
    status: answer.status,
    code: codeOf(answer),
    policy: policy === null ? null : `${String(policy[1])}/${String(policy[2])}`,
    remaining: Number(fieldValue(answer.headers, 'x-ratelimit-remaining')),
  };
}

/** How many answers had this outcome under this limit: `200 3/86400`, `RATE_LIMITED 3/86400`. */
function countsOf(answers: readonly Told[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { status, code, policy } of answers) {
    const outcome = `${code ?? String(status)} ${String(policy)}`;
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}
