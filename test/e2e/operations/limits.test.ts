import assert from 'node:assert/strict';
import { type PlainRequest, type Protocol, protocols } from '../../support/http/http-client.ts';
import { fieldValue, fieldValues, type HttpAnswer } from '../../support/http/http-message.ts';
import { assertRefusalHeaders, assertRefused } from '../../support/http/assert-refused.ts';
import { useStack } from '../../support/stack/use-stack.ts';

const daySeconds = 86_400;
const limitHeaderNames = [
  'ratelimit',
  'ratelimit-policy',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'retry-after',
];

/** Endpoints with limits; each protocol has its own, so that their counts do not mix. */
const limited: Readonly<Record<string, { readonly limits: readonly object[]; readonly more?: object }>> = {
  consumer: { limits: [{ requests: 3, unit: 'day', per: 'consumer' }] },
  endpoint: { limits: [{ requests: 3, unit: 'day', per: 'endpoint' }] },
  both: {
    limits: [
      { requests: 2, unit: 'day', per: 'consumer' },
      { requests: 3, unit: 'day', per: 'endpoint' },
    ],
  },
  grants: {
    limits: [
      { requests: 1, unit: 'day', per: 'consumer' },
      { requests: 7, unit: 'day', per: 'endpoint' },
    ],
  },
  unauthorized: {
    limits: [{ requests: 1, unit: 'day', per: 'endpoint' }],
    more: { accessCondition: 'authenticated-and-authorized' },
  },
  second: { limits: [{ requests: 1, unit: 'second', per: 'consumer' }] },
  backend: { limits: [{ requests: 100, unit: 'day', per: 'consumer' }] },
  head: { limits: [{ requests: 1, unit: 'day', per: 'consumer' }] },
  free: { limits: [] },
};

const document = JSON.stringify({
  version: 1,
  endpoints: protocols.flatMap((protocol) => [
    ...Object.entries(limited).map(([id, { limits, more }]) => ({
      id: named(id, protocol),
      scenario: 'partner-openapi',
      match: { paths: [{ prefix: `/${named(id, protocol)}` }] },
      authentication: 'key',
      trafficControl: { limits },
      ...more,
    })),
    {
      id: named('open', protocol),
      scenario: 'open',
      match: { paths: [{ prefix: `/${named('open', protocol)}` }] },
      trafficControl: { limits: [{ requests: 2, unit: 'day', per: 'endpoint' }] },
    },
  ]),
  consumers: ['acme', 'beta', 'gamma', 'delta'].map((id) => ({
    id,
    credentials: [
      { id: `${id}-key`, method: 'key', appKey: `key-of-${id}` },
      { id: `${id}-two`, method: 'key', appKey: `two-of-${id}` },
    ],
  })),
  grants: protocols.flatMap((protocol) => [
    { endpoint: named('grants', protocol), consumer: 'acme', limits: [{ requests: 3, unit: 'day', per: 'consumer' }] },
    { endpoint: named('grants', protocol), consumer: 'beta', limits: [] },
    { endpoint: named('grants', protocol), consumer: 'gamma' },
    {
      endpoint: named('grants', protocol),
      consumer: 'delta',
      expiresAt: '2020-01-01T00:00:00Z',
      limits: [{ requests: 9, unit: 'day', per: 'consumer' }],
    },
    { endpoint: named('unauthorized', protocol), consumer: 'acme' },
  ]),
});

function named(id: string, protocol: Protocol): string {
  return `${id}-${protocol === 'HTTP/1.1' ? '1' : '2'}`;
}

/** A timed answer: the clock before the request and after the answer, in whole seconds. */
interface Timed {
  readonly answer: HttpAnswer;
  readonly beforeSeconds: number;
  readonly afterSeconds: number;
}

describe('a limit', () => {
  const { stack, send } = useStack(document);

  for (const protocol of protocols) {
    const call = async (id: string, appKey: string | null, more: PlainRequest = {}): Promise<Timed> => {
      const beforeSeconds = Math.floor(Date.now() / 1000);
      const answer = await send(protocol, {
        target: `/${named(id, protocol)}`,
        headers: appKey === null ? [] : [['X-App-Key', appKey]],
        ...more,
      });
      return { answer, beforeSeconds, afterSeconds: Math.floor(Date.now() / 1000) };
    };
    /** Makes requests, and gives for each what is left, or the code of its refusal. */
    const outcomes = async (id: string, appKeys: readonly (string | null)[]): Promise<readonly (string | null)[]> => {
      const found: (string | null)[] = [];
      for (const appKey of appKeys) {
        const { answer } = await call(id, appKey);
        if (answer.status === 200) found.push(fieldValue(answer.headers, 'x-ratelimit-remaining'));
        else found.push((JSON.parse(answer.body.toString()) as { code: string }).code);
      }
      return found;
    };

    it(`per consumer counts down, then refuses, with all headers right to the second, over ${protocol}`, async () => {
      for (const remaining of [2, 1, 0]) {
        const timed = await call('consumer', 'key-of-acme');
        assert.equal(timed.answer.status, 200);
        assertLimitHeaders(timed, { limit: 3, remaining });
        assert.equal(fieldValue(timed.answer.headers, 'retry-after'), null);
      }
      for (const method of ['GET', 'POST']) {
        const timed = await call('consumer', 'key-of-acme', { method });
        assertRefused(timed.answer, 'RATE_LIMITED');
        assertLimitHeaders(timed, { limit: 3, remaining: 0 });
        assert.equal(
          fieldValue(timed.answer.headers, 'retry-after'),
          fieldValue(timed.answer.headers, 'x-ratelimit-reset'),
        );
      }
      assert.equal(stack().backend.requests.length, 3);
    });

    it(`per consumer is the consumer's own, whatever its credential, over ${protocol}`, async () => {
      assert.deepEqual(await outcomes('consumer', ['key-of-beta', 'two-of-beta', 'key-of-gamma', 'key-of-beta']), [
        '2',
        '1',
        '2',
        '0',
      ]);
      assert.deepEqual(await outcomes('consumer', ['two-of-beta', 'key-of-gamma']), ['RATE_LIMITED', '1']);
    });

    it(`per endpoint is shared by all consumers, over ${protocol}`, async () => {
      const callers = ['key-of-acme', 'key-of-beta', 'key-of-gamma', 'key-of-delta', 'key-of-acme'];
      assert.deepEqual(await outcomes('endpoint', callers), ['2', '1', '0', 'RATE_LIMITED', 'RATE_LIMITED']);
    });

    it(`of an open endpoint is shared by all callers, over ${protocol}`, async () => {
      const first = await call('open', null);
      assertLimitHeaders(first, { limit: 2, remaining: 1 });
      assert.deepEqual(await outcomes('open', [null, 'key-of-acme', null]), ['0', 'RATE_LIMITED', 'RATE_LIMITED']);
    });

    it(`per consumer keeps one partner from using up the others' share, over ${protocol}`, async () => {
      assert.deepEqual(await outcomes('both', ['key-of-acme', 'key-of-acme', 'key-of-acme', 'key-of-acme']), [
        '1',
        '0',
        'RATE_LIMITED',
        'RATE_LIMITED',
      ]);
      // Of the three of all, two are used.
      assert.deepEqual(await outcomes('both', ['key-of-beta', 'key-of-gamma']), ['0', 'RATE_LIMITED']);
      const timed = await call('both', 'key-of-delta');
      assertRefused(timed.answer, 'RATE_LIMITED');
      assertLimitHeaders(timed, { limit: 3, remaining: 0 });
    });

    it(`of a grant takes the place of the endpoint's per consumer, over ${protocol}`, async () => {
      assert.deepEqual(await outcomes('grants', ['key-of-acme', 'key-of-acme', 'key-of-acme', 'key-of-acme']), [
        '2',
        '1',
        '0',
        'RATE_LIMITED',
      ]);
      // None of its own: those of the endpoint. Expired: no grant.
      assert.deepEqual(await outcomes('grants', ['key-of-gamma', 'key-of-gamma']), ['0', 'RATE_LIMITED']);
      assert.deepEqual(await outcomes('grants', ['key-of-delta', 'key-of-delta']), ['0', 'RATE_LIMITED']);
      // Lifted: only the one of all is left, of which five are used.
      assert.deepEqual(await outcomes('grants', ['key-of-beta', 'key-of-beta', 'key-of-beta']), [
        '1',
        '0',
        'RATE_LIMITED',
      ]);
    });

    it(`is not used up by requests that are refused before it, over ${protocol}`, async () => {
      assert.deepEqual(await outcomes('unauthorized', [null, 'key-of-nobody', 'key-of-beta', '', 'key-of-gamma']), [
        'CREDENTIALS_MISSING',
        'AUTHENTICATION_FAILED',
        'NOT_AUTHORIZED',
        'CREDENTIALS_MALFORMED',
        'NOT_AUTHORIZED',
      ]);
      await send(protocol, { target: `/${named('unauthorized', protocol)}/../x?appKey=key-of-acme` });
      assert.deepEqual(await outcomes('unauthorized', ['key-of-acme', 'key-of-acme']), ['0', 'RATE_LIMITED']);
      // Whoever may not enter is told that, not that it is full.
      assert.deepEqual(await outcomes('unauthorized', [null, 'key-of-beta']), [
        'CREDENTIALS_MISSING',
        'NOT_AUTHORIZED',
      ]);
    });

    it(`shows on refusals for a limit only, over ${protocol}`, async () => {
      for (const appKey of [null, 'key-of-nobody', 'key-of-beta']) {
        const { answer } = await call('unauthorized', appKey);
        for (const name of limitHeaderNames) assert.deepEqual(fieldValues(answer.headers, name), [], name);
      }
    });

    it(`per second lets through again after as long as it says, over ${protocol}`, async () => {
      // Two requests may fall on either side of a second's border; a refusal comes after a few.
      let refused: Timed | null = null;
      for (let count = 0; refused === null && count < 100; count += 1) {
        const timed = await call('second', 'key-of-acme');
        if (timed.answer.status === 429) refused = timed;
      }
      assert.ok(refused, 'a hundred requests passed a limit of one per second');
      assert.deepEqual(
        ['retry-after', 'ratelimit', 'ratelimit-policy'].map((name) => fieldValue(refused.answer.headers, name)),
        ['1', '"default";r=0;t=1', '"default";q=1;w=1'],
      );
      const deadlineSeconds = refused.afterSeconds + 5;
      for (;;) {
        const { answer, afterSeconds } = await call('second', 'key-of-acme');
        if (answer.status === 200) break;
        assert.ok(afterSeconds < deadlineSeconds, 'the limit stays used up');
      }
    });

    it(`is told instead of what the back end says of its own, over ${protocol}`, async () => {
      const own = limitHeaderNames.filter((name) => name !== 'retry-after').map((name) => [name, 'its own'] as const);
      stack().backend.answer = () => ({ headers: [...own, ['retry-after', '7']] });
      const timed = await call('backend', 'key-of-acme');
      assertLimitHeaders(timed, { limit: 100, remaining: 99 });
      assert.equal(fieldValue(timed.answer.headers, 'retry-after'), '7');
    });

    it(`is not told where there is none, and the back end's own passes, over ${protocol}`, async () => {
      const { answer } = await call('free', 'key-of-acme');
      for (const name of limitHeaderNames) assert.deepEqual(fieldValues(answer.headers, name), [], name);
      stack().backend.answer = () => ({ headers: [['ratelimit', 'its own']] });
      const second = await call('free', 'key-of-acme');
      assert.equal(fieldValue(second.answer.headers, 'ratelimit'), 'its own');
    });

    it(`counts HEAD, and refuses it with all headers and no body, over ${protocol}`, async () => {
      const first = await call('head', 'key-of-acme', { method: 'HEAD' });
      assert.equal(first.answer.status, 200);
      assertLimitHeaders(first, { limit: 1, remaining: 0 });
      const second = await call('head', 'key-of-acme', { method: 'HEAD' });
      assertRefusalHeaders(second.answer, 'RATE_LIMITED');
      assertLimitHeaders(second, { limit: 1, remaining: 0 });
      assert.ok(Number(fieldValue(second.answer.headers, 'retry-after')) >= 1);
      assert.equal(second.answer.body.length, 0);
    });
  }
});

/** The headers of a limit per day, each once; the window ends at midnight UTC. */
function assertLimitHeaders(timed: Timed, { limit, remaining }: { limit: number; remaining: number }): void {
  const { headers } = timed.answer;
  const reset = Number(fieldValue(headers, 'x-ratelimit-reset'));
  const toMidnight = (seconds: number): number => daySeconds - (seconds % daySeconds);
  assert.ok(
    reset >= toMidnight(timed.afterSeconds) && reset <= toMidnight(timed.beforeSeconds),
    `${String(reset)} seconds are not those until midnight`,
  );
  assert.deepEqual(
    ['ratelimit', 'ratelimit-policy', 'x-ratelimit-limit', 'x-ratelimit-remaining'].map((name) =>
      fieldValue(headers, name),
    ),
    [
      `"default";r=${String(remaining)};t=${String(reset)}`,
      `"default";q=${String(limit)};w=${String(daySeconds)}`,
      String(limit),
      String(remaining),
    ],
  );
}
