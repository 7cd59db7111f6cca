/**
 * Whether the time of a refusal shows that an App Key is known: `node --import tsx bench/known-or-unknown.ts`.
 *
 * Wrong signatures go through the pipeline in pairs, one with an App Key that is known and one with an App Key that is not,
 * in random order, without sockets, which would hide more. It prints the median of the differences of the times until the
 * answer, with the interval that holds this median with a probability of 95 %: where refusals are kept, where they are too
 * many to be kept, and without `postern refusals`.
 */
import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { startSystemTimer, systemClock } from '../src/base/clock.ts';
import { hashAppKey } from '../src/model/app-key.ts';
import { createLogger } from '../src/gateway/observe/logger.ts';
import { Metrics } from '../src/gateway/observe/metrics.ts';
import { createCheckObserver } from '../src/gateway/observe/request-observers.ts';
import { RefusalMemory } from '../src/check/refusals/refusal-memory.ts';
import { RefusalRecorder } from '../src/check/refusals/refusal-recorder.ts';
import { createCheckHandler } from '../src/gateway/serving/check-handler.ts';
import { checkRequest } from '../test/support/pipeline/check-request.ts';
import { testGateway } from '../test/support/pipeline/gateway.ts';
import { catalogOf, consumer, credential, partnerEndpoint } from '../test/support/pipeline/resources.ts';
import { median } from './statistics.ts';

const CONSUMERS = 60;
const WARM_UP_PAIRS = 3000;
/** Fewer than a replica keeps at once. */
const KEPT_PAIRS = 1400;
const PAIRS = 6000;

const indices = Array.from({ length: CONSUMERS }, (_, at) => at);
const appKeyOf = (kind: string, at: number): string => `${kind}-app-key-of-caller-${String(at).padStart(2, '0')}`;
const catalog = catalogOf({
  endpoints: [partnerEndpoint('hmac')],
  consumers: indices.map((at) => consumer({ id: `c${String(at)}` })),
  credentials: indices.map((at) => ({
    ...credential({ id: `k${String(at)}`, consumerId: `c${String(at)}`, methods: ['hmac'] }),
    appKeyHash: hashAppKey(appKeyOf('known', at)),
  })),
});

function wrongSignature(appKey: string): Buffer {
  const signature = randomBytes(32).toString('base64');
  const authorization = `hmac appkey="${appKey}", algorithm="hmac-sha256", headers="date request-line", signature="${signature}"`;
  const headers = [
    ['date', new Date().toUTCString()],
    ['authorization', authorization],
    ['x-request-id', randomBytes(8).toString('hex')],
    ['x-envoy-external-address', '192.0.2.7'],
  ] as const;
  return checkRequest({ path: '/orders/1?page=2', headers });
}

type Send = (appKey: string) => Promise<number>;

/** A pipeline as `serve` has it; the log goes nowhere. */
function pipeline(recorder: RefusalRecorder | null): Send {
  const handle = createCheckHandler({
    ...testGateway({ catalog: () => catalog, clock: systemClock }).ports,
    observer: createCheckObserver({
      logger: createLogger('info', { write: () => undefined }),
      metrics: new Metrics('bench'),
      budget: { take: () => false },
      recordUse: null,
      recordRefusal: recorder === null ? null : recorder.record,
      countTraffic: () => undefined,
    }),
  });
  return async (appKey) => {
    const message = wrongSignature(appKey);
    const start = process.hrtime.bigint();
    const answer = handle(message);
    if (answer instanceof Promise) await answer;
    return Number(process.hrtime.bigint() - start) / 1000;
  };
}

/** Microseconds of those who are known minus those who are not. */
async function differences(send: Send, pairs: number): Promise<{ known: number[]; unknown: number[] }> {
  const found = { known: [] as number[], unknown: [] as number[] };
  for (let pair = 0; pair < pairs; pair += 1) {
    const kinds = randomInt(2) === 0 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const);
    for (const kind of kinds) {
      found[kind].push(await send(appKeyOf(kind, pair % CONSUMERS)));
      await delay(2); // what was left to do is done
    }
  }
  return found;
}

/** The median of the differences, and the interval that holds it with 95 %: by the order of the values. */
function describe({
  known,
  unknown,
}: {
  readonly known: readonly number[];
  readonly unknown: readonly number[];
}): string {
  const values = known.map((each, pair) => each - (unknown[pair] ?? NaN)).sort((a, b) => a - b);
  const spread = 0.98 * Math.sqrt(values.length);
  const at = (index: number): string => (values[Math.round(index)] ?? NaN).toFixed(2);
  return `${String(values.length)} pairs; known ${median(known).toFixed(1)} µs, unknown ${median(unknown).toFixed(1)} µs, difference ${median(values).toFixed(2)} µs (${at(values.length / 2 - spread)} … ${at(values.length / 2 + spread)})`;
}

async function warmUp(send: Send): Promise<void> {
  for (let pair = 0; pair < WARM_UP_PAIRS; pair += 1) {
    await send('an-app-key-that-nobody-has');
    await send(appKeyOf('known', pair % CONSUMERS));
  }
}

for (const phase of ['kept', 'too many to be kept', 'not looked at'] as const) {
  const memory = new RefusalMemory();
  const kept = { clock: systemClock, startTimer: startSystemTimer, keepsSource: true, keep: memory.add.bind(memory) };
  // Its own recorder warms the code up, so that the measured one has all of its allowances.
  const former = phase === 'not looked at' ? null : new RefusalRecorder(kept);
  await warmUp(pipeline(former));
  const fresh = phase === 'kept' ? new RefusalRecorder(kept) : former;
  const send = pipeline(fresh);
  await delay(100);
  process.stdout.write(`${phase}: ${describe(await differences(send, phase === 'kept' ? KEPT_PAIRS : PAIRS))}\n`);
  former?.[Symbol.dispose]();
  fresh?.[Symbol.dispose]();
}
