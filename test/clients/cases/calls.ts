import assert from 'node:assert/strict';
import {
  assertAnswered,
  call,
  type CallParts,
  type ClientParts,
  createClient,
  newMark,
  type Subject,
} from '../../support/clients/calls.ts';
import { type EndpointName, namedCarriers } from '../../support/clients/partner-document.ts';
import { bytesOf, type ClientSettings } from '../../support/clients/protocol.ts';
import { fieldValue, fieldValues, type RecordedRequest } from '../../support/http/http-message.ts';
import { assertOne } from '../../support/assertions/assert-one.ts';

const json = ['Content-Type', 'application/json'] as const;
const form = ['Content-Type', 'application/x-www-form-urlencoded'] as const;
const octets = ['Content-Type', 'application/octet-stream'] as const;
const unicode = '{"to": "Køge 張 \u{1f600}",\r\n "note": "\\"north\\" \\\\ \\u0000 & = + %"}\n';
const everyByte = { base64: Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString('base64') };

/** One call that must succeed. The back end must get method, target and body exactly, but for what signing adds. */
interface Call extends CallParts {
  readonly endpoint: EndpointName;
  readonly client: ClientSettings['method'];
  readonly settings?: ClientParts;
  /** What follows the path at the back end up to what signing adds, when that stays. */
  readonly restBefore?: string;
  /** The same of the body. */
  readonly bodyBefore?: string;
}

const bodiless = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
/** What signing adds to parameters. */
const added = /^appKey=[A-Za-z0-9._-]+&apiTimestamp=\d+(&nonce=[0-9a-f]{32})?&sign=[0-9a-f]{128}$/;

/** Targets that a library has no reason to change: what RFC 3986 allows. */
const targets = {
  'no query': '',
  'a rest of the path': "/a%20b/c;d=1/~x.y-z_0/!$&'()*+,;=:@/",
  'lower-case escapes': '/%c3%a9?q=%e5%bc%a0',
  'blanks both ways': '?a=x+y&b=x%20y',
  'empty values, names and segments': '?a=&b&=c&&d=1',
  'an order that is not that of the alphabet': '?z=1&a=2&Z=3&a=1',
  'sub-delimiters': '?a=!$()*,;:@/?b',
  'encoded delimiters': '?a=%3D%26%2F%3F%23%25%2B',
};

const hmac = { endpoint: 'hmac', client: 'hmac' } as const;
const hidden = { endpoint: 'parameters-hidden', client: 'parameter-signature' } as const;
const signed = { endpoint: 'parameters', client: 'parameter-signature' } as const;
const raw = { endpoint: 'parameters-raw', client: 'parameter-signature', settings: { encoding: 'raw' } } as const;
const key = { endpoint: 'key', client: 'key' } as const;
const oauth2 = { endpoint: 'bearer', client: 'oauth2' } as const;

const calls: Readonly<Record<string, Call>> = {
  ...Object.fromEntries(bodiless.map((method) => [`hmac: ${method} without a body`, { ...hmac, method }])),
  ...Object.fromEntries(Object.entries(targets).map(([name, rest]) => [`hmac: ${name}`, { ...hmac, rest }])),
  'hmac: JSON with unicode': { ...hmac, method: 'POST', headers: [json], body: { text: unicode } },
  'hmac: every byte': { ...hmac, method: 'PUT', headers: [octets], body: everyByte },
  'hmac: a body by DELETE': { ...hmac, method: 'DELETE', headers: [json], body: { text: '[1]' } },
  'hmac: a body by PATCH, and a query': {
    ...hmac,
    method: 'PATCH',
    rest: '?a=1',
    headers: [json],
    body: { text: '0' },
  },
  'hmac: a stream that can be read once': {
    ...{ ...hmac, method: 'POST', headers: [octets], once: true },
    body: { repeat: '0123456789', times: 30_000 },
  },
  'hmac: 10 485 760 bytes': {
    ...{ ...hmac, method: 'POST', headers: [octets] },
    body: { repeat: '0123456789abcdef', times: 655_360 },
  },
  'hmac: sha384': { ...hmac, settings: { algorithm: 'hmac-sha384' } },
  'hmac: sha512, with more signed headers and a nonce': {
    ...{ ...hmac, method: 'POST', headers: [json, ['X-Order', '7  "x", y']], body: { text: unicode } },
    settings: { algorithm: 'hmac-sha512', signedHeaders: ['host', 'Content-Type', 'x-order'], nonce: true },
  },
  ...Object.fromEntries(Object.entries(targets).map(([name, rest]) => [`parameters: ${name}`, { ...hidden, rest }])),
  'parameters: no parameters': { ...signed, restBefore: '?' },
  'parameters: what is added stands at the end': { ...signed, rest: '?b=%C3%BC+1&a', restBefore: '?b=%C3%BC+1&a&' },
  'parameters: an ampersand at the end': { ...signed, rest: '?a=1&', restBefore: '?a=1&' },
  'parameters: DELETE with a nonce': {
    ...{ ...signed, method: 'DELETE', settings: { nonce: true } },
    ...{ rest: '?a=1', restBefore: '?a=1&' },
  },
  'parameters: raw': {
    ...{ ...raw, rest: '?b=%c3%bc+1&%61=x%26y%3D1&c=a=b', restBefore: '?b=%c3%bc+1&%61=x%26y%3D1&c=a=b&' },
  },
  'parameters: a form': {
    ...{ ...signed, method: 'POST', headers: [form], body: { text: 'to=K%C3%B8ge+1%2B1&a&=b&&' } },
    bodyBefore: 'to=K%C3%B8ge+1%2B1&a&=b&&',
  },
  'parameters: a form whose credentials are hidden': {
    ...{ ...hidden, method: 'PUT', headers: [form], body: { text: 'z=%F0%9F%98%80&a=1' } },
  },
  'parameters: a form as a stream that can be read once': {
    ...{ ...hidden, method: 'POST', headers: [form], body: { text: 'z=1&a=2' }, once: true },
  },
  'parameters: JSON': { ...signed, method: 'POST', headers: [json], body: { text: unicode } },
  'parameters: JSON of 1 MiB': {
    ...{ ...signed, method: 'PUT', headers: [json], body: { repeat: '["ü\u{1f600}","x\\n"]', times: 61_000 } },
  },
  'parameters: JSON as a stream that can be read once': {
    ...{ ...signed, method: 'POST', headers: [json], body: { text: unicode }, once: true },
  },
  'key: the header': key,
  'key: the query': { ...key, rest: '?b=%c3%bc+1&&a', settings: { carrier: { query: 'appKey' } } },
  'key: another header': { ...key, endpoint: 'named', settings: { carrier: { header: namedCarriers.header } } },
  'key: another parameter': { ...key, endpoint: 'named', settings: { carrier: { query: namedCarriers.query } } },
  'key: every byte as a stream that can be read once': {
    ...{ ...key, method: 'POST', headers: [octets], body: everyByte, once: true },
  },
  'oauth2: GET': { ...oauth2, rest: '?b=%c3%bc+1&&a' },
  'oauth2: every byte as a stream that can be read once': {
    ...{ ...oauth2, method: 'POST', headers: [octets], body: everyByte, once: true },
  },
  'oauth2: JSON': { ...oauth2, method: 'PATCH', headers: [json], body: { text: unicode } },
};

/** Calls of every method and form that must get through, with what the back end must get. */
export function callCases(subject: () => Subject): void {
  describe('calls that get through', () => {
    for (const [name, each] of Object.entries(calls)) {
      it(name, async () => {
        const { endpoint, client, settings, ...parts } = each;
        const [mark, made] = [newMark(), await createClient(subject(), client, settings)];
        const answer = assertAnswered(await call(subject(), made, endpoint, mark, parts), subject().way);
        assert.equal(Buffer.from(answer.body, 'base64').toString(), parts.method === 'HEAD' ? '' : 'ok\n');
        assertForwarded(assertOne(subject().gateway.received(mark)), `/${endpoint}/${mark}`, each, subject());
      });
    }

    it('thirty at once by one client, each with its own body', async () => {
      const client = await createClient(subject(), 'hmac');
      const marks = Array.from({ length: 30 }, newMark);
      const answers = await Promise.all(
        marks.map((mark) =>
          call(subject(), client, 'hmac', mark, { method: 'PUT', headers: [octets], body: { text: mark } }),
        ),
      );
      for (const answer of answers) assertAnswered(answer, subject().way);
      for (const mark of marks) {
        assert.equal(assertOne(subject().gateway.received(mark)).body.toString(), mark);
      }
    });

    it('a fragment is not sent', async () => {
      const [mark, client] = [newMark(), await createClient(subject(), 'hmac')];
      assertAnswered(await call(subject(), client, 'hmac', mark, { rest: '?a=1#part' }), subject().way);
      assert.equal(assertOne(subject().gateway.received(mark)).target, `/hmac/${mark}?a=1`);
    });

    it('what the back end answers comes as it is', async () => {
      const { gateway, way } = subject();
      const [mark, client] = [newMark(), await createClient(subject(), 'hmac')];
      const body = '{"é":"\u{1f600}\\u0000"}\r\n';
      gateway.backend.answer = () => ({
        status: 201,
        headers: [
          ['content-type', 'application/json'],
          ['x-a', '1'],
        ],
        body,
      });
      const answer = assertAnswered(await call(subject(), client, 'hmac', mark), way, 201);
      assert.equal(Buffer.from(answer.body, 'base64').toString(), body);
      assert.deepEqual(fieldValues(answer.headers, 'x-a'), ['1']);
    });
  });
}

function assertForwarded(got: RecordedRequest, path: string, each: Call, { way, partner }: Subject): void {
  assert.equal(got.method, each.method ?? 'GET');
  assert.ok(got.target.startsWith(path), got.target);
  const rest = got.target.slice(path.length);
  const asSent = (text: string): string => (way.library?.isNormalizingEscapes === true ? normalizeEscapes(text) : text);
  if (each.restBefore === undefined) assert.equal(rest, asSent(each.rest ?? ''));
  else assertAdded(rest, asSent(each.restBefore));
  if (each.bodyBefore !== undefined) assertAdded(got.body.toString(), each.bodyBefore);
  else assert.ok(got.body.equals(bytesOf(each.body)), `another body: ${got.body.toString().slice(0, 300)}`);
  for (const [name, value] of each.headers ?? []) assert.equal(fieldValue(got.headers, name), value);
  assert.equal(fieldValue(got.headers, 'x-consumer-id'), partner.id);
  for (const name of ['authorization', 'x-app-key', namedCarriers.header]) {
    assert.deepEqual(fieldValues(got.headers, name), [], `${name} reached the back end`);
  }
}

/** Upper-case escapes, and none of characters that need none (RFC 3986 §6.2.2). */
function normalizeEscapes(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (escape, digits: string) => {
    const character = String.fromCharCode(parseInt(digits, 16));
    return /[\w.~-]/.test(character) ? character : escape.toUpperCase();
  });
}

function assertAdded(text: string, before: string): void {
  assert.ok(text.startsWith(before), text);
  assert.match(text.slice(before.length), added);
}
