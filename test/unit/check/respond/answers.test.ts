import assert from 'node:assert/strict';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { CheckResponse } from '../../../../src/gen/envoy/service/auth/v3/external_auth.ts';
import { findForgedHeaders } from '../../../../src/check/receive/forged-headers.ts';
import { isRefusal, type Refusal, type RefusalCode, refusalAnswers, refuse } from '../../../../src/check/refusal.ts';
import { allow } from '../../../../src/check/respond/allow.ts';
import { reject } from '../../../../src/check/respond/respond.ts';
import { requestIdOf } from '../../../../src/check/receive/request-id.ts';
import { headerOf, assertCheckAllowed, assertCheckRefused } from '../../../support/pipeline/answer.ts';
import { type HeaderLine, httpRequest } from '../../../support/pipeline/check-request.ts';
import {
  consumer,
  credential,
  keyEndpoint,
  limit,
  openEndpoint,
  partnerEndpoint,
} from '../../../support/pipeline/resources.ts';
import { loadUpstreamDefinitions, methodOf } from '../../../support/grpc/upstream-messages.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const caller = { credential: credential(), consumer: consumer(), grants: new Map() };
const reading = {
  limit: limit('5/minute/consumer'),
  remaining: 0,
  resetSeconds: 7,
  windowSeconds: 60,
  isExceeded: true,
};

function rejected(refusal: Refusal, requestId = 'r') {
  return assertCheckRefused(reject(refusal, requestId, keyEndpoint()));
}

describe('refusals', () => {
  const expected: Readonly<Record<RefusalCode, readonly [number, string]>> = {
    MALFORMED_REQUEST: [400, 'The request is malformed.'],
    PATH_NOT_NORMAL: [400, 'The request target is not in normal form.'],
    TOO_MANY_PARAMETERS: [400, 'The request has too many parameters.'],
    AMBIGUOUS_PARAMETERS: [400, 'The parameters cannot be signed without ambiguity.'],
    MALFORMED_WRAPPER: [400, 'The JSON body is not the expected wrapper.'],
    CREDENTIALS_MISSING: [401, 'The request carries no credentials.'],
    CREDENTIALS_MALFORMED: [401, 'The credentials of the request are malformed.'],
    AUTHENTICATION_FAILED: [401, 'The credentials or the signature are not valid.'],
    REQUEST_EXPIRED: [401, 'The signed time is too far from the server time.'],
    REQUEST_REPLAYED: [401, 'The signature was used before.'],
    DIGEST_MISMATCH: [401, 'The digest does not match the body.'],
    TOKEN_INVALID: [401, 'The access token is not valid.'],
    ADDRESS_NOT_ALLOWED: [403, 'The request comes from an address that is not allowed.'],
    NOT_AUTHORIZED: [403, 'The consumer is not authorized on this endpoint.'],
    ENDPOINT_NOT_FOUND: [404, 'No endpoint serves this request.'],
    BODY_TOO_LARGE: [413, 'The request body is too large.'],
    BODY_NOT_VERIFIABLE: [415, 'The request body is of a kind that cannot be verified.'],
    RATE_LIMITED: [429, 'The limit of requests is reached.'],
    STORE_UNAVAILABLE: [503, 'The credentials cannot be checked at the moment.'],
    LIMITER_UNAVAILABLE: [503, 'The limits cannot be checked at the moment.'],
    UNAVAILABLE: [503, 'The request could not be decided.'],
    INTERNAL: [500, 'The request could not be decided.'],
  };

  for (const [code, [status, message]] of Object.entries(expected) as [RefusalCode, readonly [number, string]][]) {
    it(`${code} are ${String(status)}: ${message}`, () => {
      const answer = rejected(refuse(code, 'why, for the log: secret'));
      assert.equal(answer.status, status);
      assert.equal(answer.text, JSON.stringify({ code, message, requestId: 'r' }));
      assert.equal(headerOf(answer.headers, 'content-type'), 'application/json');
      assert.equal(headerOf(answer.headers, 'cache-control'), 'no-store');
      assert.equal(headerOf(answer.headers, 'www-authenticate') !== undefined, status === 401);
      assert.equal(answer.metadata['code'], code);
    });
  }

  it('all have a status that Envoy does not take for an answer of the back end', () => {
    for (const { status } of Object.values(refusalAnswers)) assert.ok(status >= 400 && status <= 599);
  });

  for (const [endpoint, challenge] of [
    [partnerEndpoint('key'), 'Key realm="postern"'],
    [partnerEndpoint('hmac'), 'hmac realm="postern"'],
    [partnerEndpoint('parameter-signature'), 'Sign realm="postern"'],
    [partnerEndpoint('oauth2'), 'Bearer realm="postern"'],
  ] as const) {
    const { authentication } = endpoint;
    it(`of 401 ask for ${challenge} on an endpoint of method ${authentication}`, () => {
      const refusal = refuse('CREDENTIALS_MISSING', '');
      const answer = assertCheckRefused(reject(refusal, 'r', endpoint));
      assert.equal(headerOf(answer.headers, 'www-authenticate'), challenge);
      assert.deepEqual(answer.metadata, { code: 'CREDENTIALS_MISSING', endpoint: 'orders', authentication });
    });
  }

  it('give Envoy only the code before an endpoint was found', () => {
    const refusal = refuse('ENDPOINT_NOT_FOUND', '');
    const answer = assertCheckRefused(reject(refusal, 'r'));
    assert.deepEqual(answer.metadata, { code: 'ENDPOINT_NOT_FOUND' });
  });

  it('over a limit say how long to wait', () => {
    const answer = rejected({ ...refuse('RATE_LIMITED', ''), exceeded: { reading, retryAfterSeconds: 40 } });
    assert.equal(headerOf(answer.headers, 'retry-after'), '40');
    assert.equal(headerOf(answer.headers, 'ratelimit'), '"default";r=0;t=7');
  });

  describe('with a hint', () => {
    const hintOf = (stringToSign: Uint8Array): unknown => {
      const { text } = rejected({ ...refuse('AUTHENTICATION_FAILED', ''), stringToSign });
      return (JSON.parse(text) as { stringToSign: unknown }).stringToSign;
    };

    it('show the string to sign as text', () => {
      assert.equal(hintOf(Buffer.from('date: x\nGET /ä "\\" HTTP/1.1')), 'date: x\nGET /ä "\\" HTTP/1.1');
    });

    it('show bytes that are not UTF-8 as U+FFFD', () => {
      assert.equal(hintOf(Buffer.of(0x61, 0xff, 0x62)), 'a\ufffdb');
    });

    it('end after 4096 bytes, between two characters', () => {
      assert.equal(hintOf(Buffer.alloc(4096, 'a')), 'a'.repeat(4096));
      assert.equal(hintOf(Buffer.alloc(4097, 'a')), `${'a'.repeat(4096)}…`);
      assert.equal(hintOf(Buffer.from(`${'a'.repeat(4095)}äb`)), `${'a'.repeat(4095)}…`);
      assert.equal(hintOf(Buffer.from(`${'a'.repeat(4094)}äb`)), `${'a'.repeat(4094)}ä…`);
      assert.equal(hintOf(Buffer.from(`${'a'.repeat(4093)}😀b`)), `${'a'.repeat(4093)}…`);
      assert.equal(hintOf(Buffer.from(`${'a'.repeat(4092)}😀b`)), `${'a'.repeat(4092)}😀…`);
    });

    it('never grow with bytes that are no text', () => {
      const hint = String(hintOf(Buffer.alloc(9000, 0x80)));
      assert.ok(hint.endsWith('…'));
      assert.ok(hint.length <= 4097);
    });
  });
});

describe('the request id', () => {
  for (const given of ['a', '0c3b1b2e-8c1f-4f7e-9d0a-1f2e3d4c5b6a', 'A'.repeat(64), '-']) {
    it(`is the one that Envoy gives: ${given}`, () => {
      assert.equal(requestIdOf(httpRequest({ headers: [['x-request-id', given]] })), given);
    });
  }

  for (const given of ['', 'A'.repeat(65), 'a b', 'a\n', 'a"', 'ä', 'a,b', 'a_b', 'a!']) {
    it(`is a new one in place of ${JSON.stringify(given)}`, () => {
      assert.match(requestIdOf(httpRequest({ headers: [['x-request-id', given]] })), UUID);
    });
  }

  it('is a new one where there is none', () => {
    assert.match(requestIdOf(httpRequest()), UUID);
    assert.match(requestIdOf(null), UUID);
    assert.notEqual(requestIdOf(null), requestIdOf(null));
  });
});

const forgeries = [
  'X-Consumer-Id',
  'x-consumer-id',
  'X_Consumer_Id',
  'x_consumer-id',
  'X-CONSUMER_ID',
  'X-Consumer-Username',
  'X_CONSUMER_USERNAME',
  'X-Consumer-Custom-Id',
  'X-Consumer-',
  'x_consumer_groups',
  'X-Credential-Identifier',
  'x_credential_identifier',
  'X-Credential-Username',
  'X-Authenticated-Groups',
  'x_authenticated_userid',
  'X-Anonymous-Consumer',
  'x_anonymous_consumer',
] as const;
const innocent = [
  'x-consumer',
  'x-consumers-id',
  'xx-consumer-id',
  'consumer-id',
  'x-anonymous-consumers',
  'x-anonymous',
  'x-credentials',
  'x-cache-control',
  'x-amz-date',
  'x.consumer.id',
  'accept',
];

function forgedIn(headers: readonly HeaderLine[]): readonly string[] {
  const forged = findForgedHeaders(httpRequest({ headers, keepCase: true }));
  assert.ok(!isRefusal(forged));
  return forged;
}

function allowed(headers: readonly HeaderLine[], isIdentified: boolean) {
  return assertCheckAllowed(
    allow({
      forgedHeaders: forgedIn(headers),
      endpoint: isIdentified ? keyEndpoint() : openEndpoint(),
      caller: isIdentified ? caller : null,
      upstream: { headersToSet: [], headersToRemove: [], body: null },
      reading: null,
      code: 'ALLOWED',
    }),
  );
}

/** What a back end would see: Envoy sets first (over every repeat), then removes, both without looking at case. */
function forwarded(headers: readonly HeaderLine[], isIdentified: boolean): readonly HeaderLine[] {
  const answer = allowed(headers, isIdentified);
  const lower = (name: string): string => name.toLowerCase();
  const set = new Set(answer.upstream.map(([name]) => lower(name)));
  const removed = new Set(answer.removed.map(lower));
  return [...headers.filter(([name]) => !set.has(lower(name))), ...answer.upstream].filter(
    ([name]) => !removed.has(lower(name)),
  );
}

const looksLikeOurs = (name: string): boolean =>
  /^x-(consumer-.*|credential-.*|authenticated-.*|anonymous-consumer)$/i.test(name.replaceAll('_', '-'));

describe('identity headers', () => {
  it('show the back end who calls', () => {
    assert.deepEqual(forwarded([], true), [
      ['x-consumer-id', 'acme'],
      ['x-consumer-username', 'Acme Ltd'],
      ['x-credential-identifier', 'acme-key'],
    ]);
    assert.deepEqual(forwarded([], false), []);
  });

  for (const name of forgeries) {
    it(`cannot be forged as ${name}`, () => {
      const line = [name, 'root'] as const;
      assert.deepEqual(forwarded([line, line], true), forwarded([], true));
      assert.deepEqual(forwarded([line, line], false), []);
    });
  }

  it('leave other headers alone', () => {
    const lines = innocent.map((name) => [name, 'v'] as const);
    assert.deepEqual(forwarded(lines, false), lines);
    assert.deepEqual(allowed(lines, true).removed, []);
  });

  it('cannot be forged in any spelling', () => {
    const dash = fc.constantFrom('-', '_');
    const word = fc.constantFrom(
      'consumer-',
      'consumer-id',
      'consumer-username',
      'credential-identifier',
      'credential-',
      'authenticated-user',
      'anonymous-consumer',
      'consumer',
      'credential',
      'consumer-id-',
    );
    const name = fc
      .tuple(
        word,
        fc.array(fc.boolean(), { minLength: 30, maxLength: 30 }),
        fc.array(dash, { minLength: 8, maxLength: 8 }),
      )
      .map(([text, isUpper, dashes]) => {
        let dashAt = 0;
        return Array.from(`x-${text}`)
          .map((letter, index) => {
            if (letter === '-') return dashes[(dashAt += 1)] ?? '-';
            return isUpper[index] ? letter.toUpperCase() : letter;
          })
          .join('');
      });
    fc.assert(
      fc.property(fc.array(fc.tuple(name, fc.constant('forged')), { maxLength: 5 }), fc.boolean(), (lines, known) => {
        const ours = forwarded(lines, known).filter(([each]) => looksLikeOurs(each));
        assert.deepEqual(ours, forwarded([], known));
      }),
      { numRuns: 250 },
    );
  });

  for (const [name, username] of [
    ['Acme Ltd', 'Acme Ltd'],
    ['100 % "a" \\ ~!', '100 %25 "a" \\ ~!'],
    ['Ärger & Söhne', '%C3%84rger & S%C3%B6hne'],
    ['株式会社 😀', '%E6%A0%AA%E5%BC%8F%E4%BC%9A%E7%A4%BE %F0%9F%98%80'],
    ['a\r\nx-admin: 1\0\x7f', 'a%0D%0Ax-admin: 1%00%7F'],
    [null, 'acme'],
  ] as const) {
    it(`write the name ${JSON.stringify(name)} as ${username}`, () => {
      const answer = assertCheckAllowed(
        allow({
          forgedHeaders: [],
          endpoint: keyEndpoint(),
          caller: { credential: credential(), consumer: consumer({ name }), grants: new Map() },
          upstream: { headersToSet: [], headersToRemove: [], body: null },
          reading: null,
          code: 'ALLOWED',
        }),
      );
      assert.equal(headerOf(answer.upstream, 'x-consumer-username'), username);
    });
  }
});

describe('answers', () => {
  const check = methodOf(loadUpstreamDefinitions(), 'envoy.service.auth.v3.Authorization', 'Check');

  it('can be read by Envoy whatever names, paths and bodies hold', () => {
    const text = fc.string({ unit: 'binary', maxLength: 30 });
    const target = fc.string({ unit: 'grapheme-ascii', maxLength: 300 });
    fc.assert(
      fc.property(text, target, fc.option(text), text, (name, path, body, id) => {
        const allowance = {
          forgedHeaders: ['x-consumer-level'],
          endpoint: keyEndpoint(),
          caller: { credential: credential({ id: 'c' }), consumer: consumer({ name }), grants: new Map() },
          upstream: {
            headersToSet: [[':path', path]] as const,
            headersToRemove: ['x-app-key'],
            body: body === null ? null : { bytes: Buffer.from(body), freeBefore: 0 },
          },
          reading,
          code: 'ALLOWED' as const,
        };
        const read = check.responseDeserialize(allow(allowance)) as {
          ok_response: { headers: { header: { key: string; value: string } }[] };
          dynamic_metadata: { fields: Record<string, { stringValue: string } | undefined> };
        };
        const headers = new Map(read.ok_response.headers.map(({ header }) => [header.key, header.value]));
        assert.equal(headers.get(':path'), path);
        const username = headers.get('x-consumer-username') ?? '';
        assert.match(username, /^[\x20-\x7e]*$/);
        assert.equal(decodeURIComponent(username), Buffer.from(name).toString());
        assert.equal(read.dynamic_metadata.fields['postern.body']?.stringValue, body === null ? 'original' : 'pending');
        assert.equal(
          read.dynamic_metadata.fields['postern.text']?.stringValue,
          body === null ? undefined : Buffer.from(body).toString(),
        );
        const refusal = { ...refuse('AUTHENTICATION_FAILED', name), stringToSign: Buffer.from(name) };
        const denied = check.responseDeserialize(reject(refusal, id, null, allowance.caller)) as {
          denied_response: { body: string };
        };
        const told = JSON.parse(denied.denied_response.body) as { requestId: string; stringToSign: string };
        assert.equal(told.stringToSign, Buffer.from(name).toString());
      }),
      { numRuns: 150 },
    );
  });

  it('carry a replacement body of any length, whatever room is before it', () => {
    const lengths = [0, 1, 60, 100, 127, 128, 16_250, 16_384, 2_097_152];
    for (const [length, freeBefore] of lengths.flatMap((each) =>
      [0, 1, 150, 1024].map((free) => [each, free] as const),
    )) {
      const memory = Buffer.alloc(3 + freeBefore + length, '!');
      const body = memory.subarray(3 + freeBefore).fill('é€😀\0"');
      const bytes = allow({
        forgedHeaders: [],
        endpoint: keyEndpoint(),
        caller: null,
        upstream: { headersToSet: [], headersToRemove: [], body: { bytes: body, freeBefore } },
        reading: null,
        code: 'ALLOWED',
      });
      const read = CheckResponse.decode(bytes);
      const text = body.toString();
      assert.ok(read.dynamicMetadata?.['postern.text'] === text, `${String(length)} bytes`);
      assert.deepEqual(Object.keys(read.dynamicMetadata).slice(-2), ['postern.body', 'postern.text']);
      assert.ok(bytes.subarray(bytes.length - length).equals(body));
      const headLength = bytes.length - length;
      assert.equal(bytes.buffer === memory.buffer, headLength <= freeBefore);
      const untouched = memory.subarray(0, 3 + Math.max(0, freeBefore - headLength));
      assert.ok(headLength > freeBefore || untouched.equals(Buffer.alloc(untouched.length, '!')));
    }
  });

  it('name a request of its own in each refusal', () => {
    const id = randomUUID();
    assert.equal(rejected(refuse('INTERNAL', ''), id).body.requestId, id);
  });
});
