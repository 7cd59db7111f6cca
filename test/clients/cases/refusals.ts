import assert from 'node:assert/strict';
import { type BackendAnswer } from '../../support/stack/recording-backend.ts';
import {
  assertAnswered,
  assertRefusal,
  call,
  type CallParts,
  type ClientParts,
  createClient,
  newMark,
  type Subject,
} from '../../support/clients/calls.ts';
import { type EndpointName } from '../../support/clients/partner-document.ts';
import { type ClientSettings } from '../../support/clients/protocol.ts';
import { publicAnswers } from '../../support/http/assert-refused.ts';
import { fieldValue } from '../../support/http/http-message.ts';

const wrong = { appSecret: 'not the secret of this partner' };

interface Refused extends CallParts {
  readonly endpoint: EndpointName;
  readonly client: ClientSettings['method'];
  readonly settings?: ClientParts;
  readonly code: keyof typeof publicAnswers;
  readonly stringToSign?: RegExp;
}

const refusals: Readonly<Record<string, Refused>> = {
  'hmac with a wrong secret': { endpoint: 'hmac', client: 'hmac', settings: wrong, code: 'AUTHENTICATION_FAILED' },
  'hmac with a wrong secret, with a hint': {
    ...{ endpoint: 'hmac-hints', client: 'hmac', settings: wrong, code: 'AUTHENTICATION_FAILED' },
    ...{ method: 'POST', rest: '?a=1', body: { text: 'ü' } },
    stringToSign: /^date: [^\n]+ GMT\nPOST \/hmac-hints\/\S+\?a=1 HTTP\/1\.1\ndigest: SHA-256=\S+=$/,
  },
  'parameters with a wrong secret, with a hint': {
    ...{ endpoint: 'parameters-hints', client: 'parameter-signature', settings: wrong, code: 'AUTHENTICATION_FAILED' },
    rest: '?b=%C3%BC+1',
    stringToSign: /^apiTimestamp=\d+&appKey=[^&]+&b=ü 1$/,
  },
  'a key that nobody holds': {
    ...{ endpoint: 'key', client: 'key', settings: { appKey: 'a-key-of-nobody' }, code: 'AUTHENTICATION_FAILED' },
  },
  'a carrier that the endpoint does not take': {
    ...{ endpoint: 'key', client: 'key', settings: { carrier: { header: 'X-Other' } }, code: 'CREDENTIALS_MISSING' },
  },
  'a partner without a grant': { endpoint: 'hmac-closed', client: 'hmac', code: 'NOT_AUTHORIZED' },
  'another method': { endpoint: 'hmac', client: 'parameter-signature', code: 'CREDENTIALS_MISSING' },
  'a path that is not normal': { endpoint: 'hmac', client: 'hmac', rest: '/a//b', code: 'PATH_NOT_NORMAL' },
  'an algorithm that is not allowed': {
    ...{
      endpoint: 'hmac-hints',
      client: 'hmac',
      settings: { algorithm: 'hmac-sha512' },
      code: 'CREDENTIALS_MALFORMED',
    },
  },
};

const shape = { code: 'STORE_UNAVAILABLE', message: 'Later.', requestId: 'a' };
const ofJson = [['content-type', 'application/json']] as const;

/** What a back end may answer that looks like a refusal and is none. */
const answers: Readonly<Record<string, BackendAnswer>> = {
  'a 401 with other JSON': { status: 401, headers: ofJson, body: '{"error":"who are you"}' },
  'a 429 with a code and nothing else': { status: 429, headers: ofJson, body: '{"code":"RATE_LIMITED"}' },
  'a 503 whose code is a number': { status: 503, headers: ofJson, body: JSON.stringify({ ...shape, code: 503 }) },
  'a 503 without a request id': {
    status: 503,
    headers: ofJson,
    body: JSON.stringify({ ...shape, requestId: undefined }),
  },
  'a 503 whose request id is a number': {
    status: 503,
    headers: ofJson,
    body: JSON.stringify({ ...shape, requestId: 7 }),
  },
  'a 503 that is text': { status: 503, headers: [['content-type', 'text/plain']], body: JSON.stringify(shape) },
  'a 503 without a content type': { status: 503, body: JSON.stringify(shape) },
  'a 503 that is a list': { status: 503, headers: ofJson, body: JSON.stringify([shape]) },
  'a 503 that is no JSON': { status: 503, headers: ofJson, body: `${JSON.stringify(shape)},` },
  'a 503 of 65 537 bytes': { status: 503, headers: ofJson, body: JSON.stringify(shape).padEnd(65_537) },
  'an empty 503': { status: 503, headers: ofJson, body: '' },
};

/** Refusals are read right, and answers of the API stay what they are. */
export function refusalCases(subject: () => Subject): void {
  describe('refusals', () => {
    for (const [name, { endpoint, client, settings, code, stringToSign, ...parts }] of Object.entries(refusals)) {
      it(`reads ${code}: ${name}`, async () => {
        const [mark, made] = [newMark(), await createClient(subject(), client, settings)];
        const sent = await call(subject(), made, endpoint, mark, parts);
        const [status, message] = publicAnswers[code];
        const refusal = assertRefusal(sent, status, code);
        assert.ok('response' in sent);
        assert.deepEqual(
          [refusal.message, refusal.requestId, refusal.retryAfter],
          [message, fieldValue(sent.response.headers, 'x-request-id'), null],
        );
        if (stringToSign === undefined) assert.equal(refusal.stringToSign, null);
        else assert.match(refusal.stringToSign ?? '', stringToSign);
        const body = JSON.parse(Buffer.from(sent.response.body, 'base64').toString()) as Record<string, unknown>;
        assert.deepEqual([body['code'], body['requestId']], [code, refusal.requestId], 'the body stays readable');
        assert.deepEqual(subject().gateway.received(mark), []);
      });
    }

    it('reads Retry-After in seconds', async () => {
      const client = await createClient(subject(), 'hmac', { retries: 0 });
      const mark = newMark();
      const sent = await Promise.all(Array.from({ length: 8 }, () => call(subject(), client, 'hmac-limited', mark)));
      const refused = sent.find((each) => 'response' in each && each.response.status === 429);
      assert.ok(refused !== undefined, 'eight calls at once did not reach a limit of two a second');
      const { retryAfter, message } = assertRefusal(refused, 429, 'RATE_LIMITED');
      assert.deepEqual([retryAfter, message], [1, publicAnswers.RATE_LIMITED[1]]);
    });

    it('reads the refusal of an answer to HEAD, which has no body, as none', async () => {
      const client = await createClient(subject(), 'hmac', wrong);
      assertAnswered(await call(subject(), client, 'hmac', newMark(), { method: 'HEAD' }), subject().way, 401);
    });

    for (const [name, answer] of Object.entries(answers)) {
      it(`leaves ${name} as it is, and does not ask again`, async () => {
        const { gateway, way } = subject();
        const [mark, client] = [newMark(), await createClient(subject(), 'hmac')];
        gateway.backend.answer = () => answer;
        const response = assertAnswered(await call(subject(), client, 'hmac', mark), way, answer.status);
        assert.equal(Buffer.from(response.body, 'base64').toString(), answer.body);
        assert.equal(gateway.received(mark).length, 1);
      });
    }

    it('takes application/json with parameters, in any case', async () => {
      const { gateway } = subject();
      const client = await createClient(subject(), 'hmac', { retries: 0 });
      gateway.backend.answer = () => ({
        status: 503,
        headers: [['content-type', 'Application/JSON; charset=utf-8']],
        body: JSON.stringify(shape).padEnd(65_536),
      });
      const { message, requestId } = assertRefusal(
        await call(subject(), client, 'hmac', newMark()),
        503,
        'STORE_UNAVAILABLE',
      );
      assert.deepEqual([message, requestId], [shape.message, shape.requestId]);
    });

    it('reads a refusal to which Envoy gave no request id', async () => {
      const client = await createClient(subject(), 'hmac', { retries: 0 });
      const body = JSON.stringify({ ...shape, requestId: null });
      subject().gateway.backend.answer = () => ({ status: 503, headers: ofJson, body });
      const refusal = assertRefusal(await call(subject(), client, 'hmac', newMark()), 503, 'STORE_UNAVAILABLE');
      assert.deepEqual([refusal.message, refusal.requestId, refusal.acceptedBefore], [shape.message, null, false]);
    });

    it('reads Retry-After that is a date, and one that is neither as absent', async () => {
      const { gateway } = subject();
      const client = await createClient(subject(), 'hmac', { retries: 0 });
      for (const [value, fits] of [
        [
          new Date(Date.now() + 90_000).toUTCString(),
          (found: number | null) => found !== null && found > 80 && found <= 91,
        ],
        ['120', (found: number | null) => found === 120],
        ['soon', (found: number | null) => found === null],
        ['-5', (found: number | null) => found === null],
        ['1.5', (found: number | null) => found === null],
      ] as const) {
        gateway.backend.answer = () => ({
          status: 503,
          headers: [...ofJson, ['retry-after', value]],
          body: JSON.stringify(shape),
        });
        const { retryAfter } = assertRefusal(
          await call(subject(), client, 'hmac', newMark()),
          503,
          'STORE_UNAVAILABLE',
        );
        assert.ok(fits(retryAfter), `Retry-After: ${value} was read as ${String(retryAfter)}`);
      }
    });
  });
}
