import assert from 'node:assert/strict';
import {
  assertAnswered,
  assertRefusal,
  call,
  createClient,
  forEveryWay,
  newMark,
  type Subject,
} from '../../support/clients/calls.ts';
import { assertOne } from '../../support/assertions/assert-one.ts';
import { type ClientGateway } from '../../support/clients/client-gateway.ts';
import { requestsPerSecond } from '../../support/clients/partner-document.ts';
import { together } from '../../support/clients/together.ts';
import { type BackendAnswer } from '../../support/stack/recording-backend.ts';
import { poll } from '../../support/time/poll.ts';

const json = ['Content-Type', 'application/json'] as const;
const form = ['Content-Type', 'application/x-www-form-urlencoded'] as const;
const octets = ['Content-Type', 'application/octet-stream'] as const;

/** A refusal in the gateway's form, made by the back end: only so can a test choose what it says. */
function refusal(status: number, code: string, retryAfter?: string): BackendAnswer {
  const more = retryAfter === undefined ? [] : [['retry-after', retryAfter] as const];
  const body = JSON.stringify({ code, message: 'Not now.', requestId: 'a' });
  return { status, headers: [['content-type', 'application/json'], ...more], body };
}

/** Chooses what the back end says, by the marks of requests. */
interface FirstAnswers {
  /** A mark; the first request with it gets this answer, and those after it the usual one. */
  readonly refusedMark: (answer: BackendAnswer) => string;
  /** When requests with a mark arrived, in milliseconds. */
  readonly arrivals: (mark: string) => readonly number[];
}

function firstAnswers({ backend }: ClientGateway): FirstAnswers {
  const first = new Map<string, BackendAnswer>();
  const arrivals = new Map<string, number[]>();
  backend.answer = ({ target }) => {
    const mark = /\/(m[0-9a-f-]{36})/.exec(target)?.[1] ?? '';
    const times = arrivals.get(mark) ?? [];
    arrivals.set(mark, [...times, performance.now()]);
    const answer = times.length === 0 ? first.get(mark) : undefined;
    return answer ?? { status: 200, body: 'ok\n' };
  };
  return {
    refusedMark: (answer) => {
      const mark = newMark();
      first.set(mark, answer);
      return mark;
    },
    arrivals: (mark) => arrivals.get(mark) ?? [],
  };
}

/**
 * Refusals are tried again as the contract's table says, and signed anew; nothing else is.
 * @param alone gives every way a driver that nothing else holds up
 */
export function retryCases(subjects: () => readonly Subject[], alone: () => Promise<readonly Subject[]>): void {
  const everyWay = (check: (subject: Subject) => Promise<void>): Promise<void> => forEveryWay(subjects(), check);
  const everyWayAlone = (check: (subject: Subject) => Promise<void>): Promise<void> =>
    alone().then((all) => forEveryWay(all, check));

  describe('retries', () => {
    let answers: FirstAnswers;
    before(() => {
      const [{ gateway }] = [subjects()[0] ?? assert.fail()];
      gateway.backend.reset();
      answers = firstAnswers(gateway);
    });

    together({
      'two equal calls with a nonce pass where a signature passes once': () =>
        everyWay(async (subject) => {
          const settings = { nonce: true, retries: 0 };
          const hmac = await createClient(subject, 'hmac', settings);
          const parameters = await createClient(subject, 'parameter-signature', settings);
          for (const [client, endpoint, parts] of [
            [hmac, 'hmac-once', {}],
            [hmac, 'hmac-once', { method: 'POST', headers: [json], body: { text: '{"amount":12}' } }],
            [parameters, 'parameters-once', { rest: '?a=1' }],
            [parameters, 'parameters-once', { method: 'POST', headers: [form], body: { text: 'a=1' } }],
            [parameters, 'parameters-once', { method: 'POST', headers: [json], body: { text: '{"amount":12}' } }],
          ] as const) {
            const mark = newMark();
            const sent = await Promise.all([1, 2, 3].map(() => call(subject, client, endpoint, mark, parts)));
            for (const each of sent) assertAnswered(each, subject.way);
          }
        }),

      'waits a second after a 503 without Retry-After, and signs anew': () =>
        everyWayAlone(async (subject) => {
          const mark = answers.refusedMark(refusal(503, 'STORE_UNAVAILABLE'));
          const client = await createClient(subject, 'parameter-signature');
          const parts = { method: 'POST', headers: [form], body: { text: 'a=1' } };
          assertAnswered(await call(subject, client, 'parameters', mark, parts), subject.way);
          const [first = 0, second = 0, ...more] = answers.arrivals(mark);
          assert.ok(second - first >= 1000, `tried again after ${String(second - first)} ms`);
          assert.deepEqual(more, []);
          const signs = subject.gateway.received(mark).map(({ body }) => /&sign=.*/.exec(body.toString())?.[0]);
          assert.equal(new Set(signs).size, 2, 'both attempts had one signature');
        }),

      'waits as long as Retry-After says': () =>
        everyWayAlone(async (subject) => {
          const mark = answers.refusedMark(refusal(503, 'LIMITER_UNAVAILABLE', '2'));
          const client = await createClient(subject, 'hmac', { retries: 1 });
          assertAnswered(await call(subject, client, 'hmac', mark), subject.way);
          const [first = 0, second = 0] = answers.arrivals(mark);
          assert.ok(second - first >= 2000, `tried again after ${String(second - first)} ms`);
        }),

      ...Object.fromEntries(
        (
          [
            ['a 429 whose Retry-After is longer than a minute', 429, 'RATE_LIMITED', '61'],
            ['a 429 with another code', 429, 'QUOTA', '1'],
            ['a 503 with a code that is not of the gateway', 503, 'BUSY', '1'],
            ['a 500 of the gateway', 500, 'INTERNAL', undefined],
            ['a 401 of the gateway', 401, 'AUTHENTICATION_FAILED', undefined],
            ['a 403 of the gateway', 403, 'NOT_AUTHORIZED', '1'],
          ] as const
        ).map(([name, status, code, retryAfter]) => [
          `does not try ${name} again`,
          () =>
            everyWay(async (subject) => {
              const mark = answers.refusedMark(refusal(status, code, retryAfter));
              const client = await createClient(subject, 'hmac', { clockCorrection: 60 });
              const { retryAfter: seconds } = assertRefusal(await call(subject, client, 'hmac', mark), status, code);
              assert.equal(seconds, retryAfter === undefined ? null : Number(retryAfter));
              assert.equal(subject.gateway.received(mark).length, 1);
            }),
        ]),
      ),

      'does not send a stream again that can be read once, where it is not in memory': async () => {
        const withStreams = subjects().filter(({ way }) => way.library?.isWithoutStreams !== true);
        await forEveryWay(withStreams, async (subject) => {
          for (const [method, endpoint] of [
            ['key', 'key'],
            ['oauth2', 'bearer'],
          ] as const) {
            const mark = answers.refusedMark(refusal(503, 'STORE_UNAVAILABLE'));
            const client = await createClient(subject, method);
            const parts = { method: 'POST', headers: [octets], body: { text: 'once' }, once: true };
            assertRefusal(await call(subject, client, endpoint, mark, parts), 503, 'STORE_UNAVAILABLE');
            assert.equal(assertOne(subject.gateway.received(mark)).body.toString(), 'once');
          }
        });
      },

      'does not send a POST again that got no answer': () =>
        everyWayAlone(async (subject) => {
          const { gateway, driver, way } = subject;
          const [mark, client] = [newMark(), await createClient(subject, 'hmac')];
          gateway.elsewhere.answer(mark, () => null);
          const request = {
            method: 'POST',
            url: `${gateway.elsewhere.url}/${mark}`,
            headers: [octets],
            body: { text: 'x' },
          };
          const sent = await driver.send(client, way, request);
          assert.ok('error' in sent && sent.error !== '', JSON.stringify(sent));
          assert.equal(gateway.elsewhere.received(mark).length, 1);
        }),
    });

    // One after the other: they use up the same limit, or need calls within a second, which nothing else may hold up.
    it('overcomes a limit by Retry-After, a body that can be read once included', () =>
      everyWayAlone(async (subject) => {
        const client = await createClient(subject, 'hmac', { retries: 5 });
        const mark = newMark();
        // One more than two windows take, in case they begin at the end of one.
        const bodies = Array.from({ length: 2 * requestsPerSecond + 1 }, (_, index) => `${mark} ${String(index)}`);
        const sent = await Promise.all(
          bodies.map((text) =>
            call(subject, client, 'hmac-limited', mark, {
              method: 'POST',
              headers: [octets],
              body: { text },
              once: true,
            }),
          ),
        );
        for (const each of sent) assertAnswered(each, subject.way);
        const got = subject.gateway.received(mark).map(({ body }) => body.toString());
        assert.deepEqual(got.sort(), bodies);
        const codes = (await subject.gateway.decisions(mark)).map(({ code }) => code);
        assert.ok(codes.includes('RATE_LIMITED'), 'the limit was not reached');
      }));

    it('does not try again with retries 0', () =>
      everyWay(async (subject) => {
        const client = await createClient(subject, 'hmac', { retries: 0 });
        const marks = Array.from({ length: 2 * requestsPerSecond + 1 }, newMark);
        const sent = await Promise.all(marks.map((mark) => call(subject, client, 'hmac-limited', mark)));
        const decisions = await Promise.all(marks.map((mark) => subject.gateway.decisions(mark)));
        const codes = decisions.map((each) => assertOne(each).code);
        for (const [index, each] of sent.entries()) {
          if (codes[index] === 'ALLOWED') assertAnswered(each, subject.way);
          else assertRefusal(each, 429, 'RATE_LIMITED');
        }
        assert.ok(codes.includes('RATE_LIMITED'), codes.join());
      }));

    it('tries again when a signature was used before', () =>
      everyWayAlone(async (subject) => {
        const mark = newMark();
        // Three, in case a second ends between two of them; one client each, because one might remember.
        const clients = await Promise.all([1, 2, 3].map(() => createClient(subject, 'hmac', { retries: 4 })));
        const sent = await Promise.all(clients.map((client) => call(subject, client, 'hmac-once', mark)));
        for (const each of sent) assertAnswered(each, subject.way);
        const codes = (await subject.gateway.decisions(mark)).map(({ code }) => code);
        assert.ok(codes.includes('REQUEST_REPLAYED'), 'no signature was used twice');
        assert.equal(codes.filter((code) => code === 'ALLOWED').length, 3);
      }));

    it('gets through when Postern comes back', async () => {
      const [subject] = subjects();
      assert.ok(subject !== undefined);
      const { gateway, way } = subject;
      const [mark, never] = [newMark(), newMark()];
      gateway.cut();
      try {
        const patient = createClient(subject, 'hmac', { retries: 3 });
        const sent = call(subject, await patient, 'hmac', mark, {
          method: 'POST',
          headers: [json],
          body: { text: '1' },
        });
        // The failure is for the assertion below.
        sent.catch(() => undefined);
        await poll('the first refusal', async () => {
          const decisions = await gateway.decisions(mark);
          return decisions.some(({ status }) => status === 503) ? true : null;
        });
        const hasty = await createClient(subject, 'hmac', { retries: 0 });
        assertRefusal(await call(subject, hasty, 'hmac', never), 503, 'UNAVAILABLE');
        gateway.restore();
        assertAnswered(await sent, way);
        assert.equal(assertOne(gateway.received(mark)).body.toString(), '1');
        assert.deepEqual(gateway.received(never), []);
      } finally {
        gateway.restore();
      }
    });
  });
}
