import assert from 'node:assert/strict';
import {
  assertProblem,
  call,
  type CallParts,
  type ClientParts,
  createClient,
  newMark,
  settingsFor,
  type Subject,
} from '../../support/clients/calls.ts';
import { type ClientSettings } from '../../support/clients/protocol.ts';

const json = ['Content-Type', 'application/json'] as const;
const form = ['Content-Type', 'application/x-www-form-urlencoded'] as const;
const octets = ['Content-Type', 'application/octet-stream'] as const;

const maxBodyBytes = 10_485_760;
const maxWrapperBytes = 2_097_152;

interface Problematic extends CallParts {
  readonly client: ClientSettings['method'];
  readonly settings?: ClientParts;
  readonly code: string;
}

const hmac = { client: 'hmac', method: 'POST', headers: [octets] } as const;
const query = { client: 'parameter-signature' } as const;
const formed = { client: 'parameter-signature', method: 'POST', headers: [form] } as const;
const wrapped = { client: 'parameter-signature', method: 'POST', headers: [json] } as const;
const tooLong = { repeat: 'x', times: maxBodyBytes + 1 };

/** What an adapter sees before it sends. */
const problems: Readonly<Record<string, Problematic>> = {
  'hmac: a body that is too long': { ...hmac, body: tooLong, code: 'BODY_TOO_LARGE' },
  'hmac: a stream that is too long': { ...hmac, body: tooLong, once: true, code: 'BODY_TOO_LARGE' },
  'hmac: a signed header that is absent': {
    ...{ ...hmac, settings: { signedHeaders: ['x-absent'] }, code: 'HEADER_NOT_SIGNABLE' },
  },
  'hmac: a signed header of proxies': {
    ...{ ...hmac, settings: { signedHeaders: ['x-forwarded-for'] }, code: 'HEADER_NOT_SIGNABLE' },
    headers: [['X-Forwarded-For', '127.0.0.1']],
  },
  'URL: a reserved name': { ...query, rest: '?a=1&apiTimestamp=1', code: 'RESERVED_PARAMETER' },
  'URL: a reserved name, encoded': { ...query, rest: '?%73ign=1', code: 'RESERVED_PARAMETER' },
  'URL: the nonce': { ...query, settings: { nonce: true }, rest: '?nonce=1', code: 'RESERVED_PARAMETER' },
  'URL: a value that reads like two': { ...query, rest: '?a=1%26b%3D2', code: 'AMBIGUOUS_PARAMETERS' },
  'URL: 98 parameters': { ...query, rest: `?${'a=1&'.repeat(97)}a=1`, code: 'TOO_MANY_PARAMETERS' },
  'URL: bytes that are not UTF-8': { ...query, rest: '?a=%C3%28', code: 'MALFORMED_PARAMETERS' },
  'form: a reserved name': { ...formed, body: { text: 'appKey=1' }, code: 'RESERVED_PARAMETER' },
  'form: bad percent-encoding': { ...formed, body: { text: 'a=%zz' }, code: 'MALFORMED_PARAMETERS' },
  'form: a query beside it': { ...formed, rest: '?a=1', body: { text: 'b=1' }, code: 'QUERY_NOT_SIGNABLE' },
  'form: too long': { ...formed, body: tooLong, code: 'BODY_TOO_LARGE' },
  'form: a stream that is too long': { ...formed, body: tooLong, once: true, code: 'BODY_TOO_LARGE' },
  'JSON: a query beside it': { ...wrapped, rest: '?a=1', body: { text: '{}' }, code: 'QUERY_NOT_SIGNABLE' },
  'JSON: not UTF-8': { ...wrapped, body: { base64: 'wyg=' }, code: 'BODY_NOT_SIGNABLE' },
  'JSON: too long when wrapped': {
    ...{ ...wrapped, body: { repeat: '"', times: maxWrapperBytes / 2 }, code: 'BODY_TOO_LARGE' },
  },
  'a body of another kind': { ...formed, headers: [octets], body: { text: 'a=1' }, code: 'BODY_NOT_SIGNABLE' },
  'key: the query parameter is there': {
    ...{ client: 'key', settings: { carrier: { query: 'appKey' } }, rest: '?appKey=1', code: 'RESERVED_PARAMETER' },
  },
};

/** Several at once: the first of the contract's order counts. */
const several: Readonly<Record<string, Problematic>> = {
  'a form that is too long, beside a query': { ...formed, rest: '?a=1', body: tooLong, code: 'BODY_TOO_LARGE' },
  'a body of another kind, beside a query': {
    ...{ ...formed, rest: '?a=1', headers: [octets], body: { text: 'x' }, code: 'BODY_NOT_SIGNABLE' },
  },
  'a malformed form beside a query': { ...formed, rest: '?a=1', body: { text: 'a=%' }, code: 'QUERY_NOT_SIGNABLE' },
  'a reserved name before a malformed value': { ...query, rest: '?sign=1&a=%C3%28', code: 'MALFORMED_PARAMETERS' },
  'an ambiguous value before a reserved name': {
    ...{ ...query, rest: '?a=1%26b%3D2&sign=1', code: 'RESERVED_PARAMETER' },
  },
  'too many, one of them ambiguous': {
    ...{ ...query, rest: `?${'a=1&'.repeat(100)}b=%26%3D`, code: 'AMBIGUOUS_PARAMETERS' },
  },
  'a body that is too long, with a header that is absent': {
    ...{ ...hmac, settings: { signedHeaders: ['x-absent'] }, body: tooLong, code: 'BODY_TOO_LARGE' },
  },
};

/** Settings that no client is made with. */
const settings: Readonly<Record<string, readonly [method: ClientSettings['method'], parts: ClientParts]>> = {
  'an App Key with a blank': ['hmac', { appKey: 'not an app key' }],
  'an empty App Key': ['hmac', { appKey: '' }],
  'an App Key of 513 characters': ['key', { appKey: 'k'.repeat(513) }],
  'an App Key with a line feed': ['key', { appKey: 'app-key-with-line-feed\n' }],
  'an App Key beyond ASCII': ['key', { appKey: 'schlüssel' }],
  'an empty App Secret': ['hmac', { appSecret: '' }],
  'an App Secret with a line feed': ['hmac', { appSecret: 'secret with a line feed\n' }],
  'an App Secret with a zero byte': ['parameter-signature', { appSecret: 'secret with \u0000 inside' }],
  'an App Secret with a blank at its end': ['parameter-signature', { appSecret: 'secret with a blank ' }],
  'an App Secret with a blank at its start': ['oauth2', { appSecret: ' secret with a blank' }],
  'an unknown algorithm': ['hmac', { algorithm: 'hmac-md5' }],
  'a token URL that is relative': ['oauth2', { tokenUrl: '/oauth2/token' }],
  'a carrier that is no header name': ['key', { carrier: { header: 'X App Key' } }],
};

/** What can be seen before sending is not sent. */
export function problemCases(subject: () => Subject): void {
  const assertNothingSent = async (mark: string): Promise<void> => {
    assert.deepEqual(await subject().gateway.decisions(mark), [], 'the request was sent');
  };

  describe('problems before anything is sent', () => {
    for (const [name, { client, settings: parts, code, ...request }] of Object.entries({ ...problems, ...several })) {
      it(`${code}: ${name}`, async () => {
        const [mark, made] = [newMark(), await createClient(subject(), client, parts)];
        const endpoint = client === 'parameter-signature' ? 'parameters' : client === 'key' ? 'key' : 'hmac';
        assertProblem(await call(subject(), made, endpoint, mark, request), code);
        await assertNothingSent(mark);
      });
    }

    for (const rest of ['/é', '?q={"a":[1]}', '?a=|^`', '?a=x y', '?a=張', '/%41%7e']) {
      it(`signs a target as it is sent, or does not send it: ${rest}`, async () => {
        const [mark, made] = [newMark(), await createClient(subject(), 'hmac')];
        const sent = await call(subject(), made, 'hmac', mark, { rest });
        if ('response' in sent) {
          assert.deepEqual([sent.response.status, sent.refusal], [200, null]);
          return;
        }
        if ('problem' in sent) assertProblem(sent, 'TARGET_NOT_SIGNABLE');
        await assertNothingSent(mark);
      });
    }

    for (const rest of [
      '/a/../b',
      '/a/./b',
      '/..',
      '/.',
      '/a/%2e%2e/b',
      '/a/.%2E',
      '//b',
      '/a\\b',
      '/;/..;/b',
      '?a=/../b',
    ]) {
      it(`signs a path with tricks as it is sent, or does not send it: ${rest}`, async () => {
        const [mark, made] = [newMark(), await createClient(subject(), 'hmac')];
        const sent = await call(subject(), made, 'hmac', mark, { rest });
        if ('problem' in sent) assertProblem(sent, 'TARGET_NOT_SIGNABLE');
        else if ('response' in sent) assert.ok([200, 400].includes(sent.response.status), JSON.stringify(sent));
        if (!('response' in sent)) await assertNothingSent(mark);
      });
    }

    it('a form of exactly 10 485 760 bytes with its signature is sent, and one of a byte more is not', async () => {
      const client = await createClient(subject(), 'parameter-signature');
      const { appKey } = subject().partner.parameters;
      const added = `&appKey=${appKey}&apiTimestamp=1795228800&sign=${'0'.repeat(128)}`.length;
      for (const [bytes, isSent] of [
        [maxBodyBytes, true],
        [maxBodyBytes + 1, false],
      ] as const) {
        for (const once of [false, true]) {
          const mark = newMark();
          const body = { repeat: 'x', times: bytes - added };
          const sent = await call(subject(), client, 'parameters', mark, { ...formed, body, once });
          if (isSent) assert.equal('response' in sent && sent.response.status, 200, JSON.stringify(sent).slice(0, 500));
          else assertProblem(sent, 'BODY_TOO_LARGE');
        }
      }
    });

    it('a wrapper of exactly 2 097 152 bytes is sent, and one of a byte more is not', async () => {
      const client = await createClient(subject(), 'parameter-signature');
      const { appKey } = subject().partner.parameters;
      const overhead = `{"data":"","appKey":"${appKey}","sign":"${'0'.repeat(128)}","apiTimestamp":1795228800}`.length;
      for (const [bytes, isSent] of [
        [maxWrapperBytes, true],
        [maxWrapperBytes + 1, false],
      ] as const) {
        const mark = newMark();
        const body = { repeat: 'x', times: bytes - overhead };
        const sent = await call(subject(), client, 'parameters', mark, { ...wrapped, body });
        if (isSent) assert.equal('response' in sent && sent.response.status, 200);
        else assertProblem(sent, 'BODY_TOO_LARGE');
        assert.equal(subject().gateway.received(mark).length, isSent ? 1 : 0);
      }
    });
  });
}

/** Settings are checked when a client is made, and never shown. */
export function settingCases(subject: () => Subject): void {
  describe('a client that cannot be made', () => {
    for (const [name, [method, parts]] of Object.entries(settings)) {
      it(name, async () => {
        const { answer } = await subject().driver.tryCreate({ ...settingsFor(subject(), method), ...parts });
        assertProblem(answer, 'INVALID_CREDENTIAL');
        for (const value of [parts.appKey, parts.appSecret]) {
          const text = value?.trim() ?? '';
          if (text !== '')
            assert.ok(!JSON.stringify(answer).includes(text), `shows the value: ${JSON.stringify(answer)}`);
        }
      });
    }
  });
}
