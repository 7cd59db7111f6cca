import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  type ClientHeader,
  type ClientRequest,
  signableRequest,
} from '../../../../../src/check/signing/client-request.ts';
import { newKeyPair, signedByKey } from '../../../../support/partner/http-signature.ts';
import { partnerEndpoint } from '../../../../support/pipeline/resources.ts';
import { checkHttpSignature } from '../../../../support/signing/http-signature-outcome.ts';
import { NOON } from '../../../../support/time/fixed-clock.ts';

const APP_KEY = 'acme-public-key';
const key = newKeyPair();
const keys = new Map([[APP_KEY, [key.publicKey]]]);
const { options } = partnerEndpoint('http-message-signature');

const refusalOf = (request: ClientRequest) => checkHttpSignature(signableRequest(request), options, keys, NOON);
const codeOf = (request: ClientRequest) => refusalOf(request)?.refused ?? 'ACCEPTED';

/** Ways to cover method, host, path and query, and more. */
const coverings = [
  ['"@method"', '"@target-uri"'],
  ['"@request-target"', '"@authority"', '"@method"'],
  ['"@path"', '"@query"', '"host"', '"@authority"', '"@method"', '"@scheme"'],
];
const word = fc.stringMatching(/^[A-Za-z0-9._~-]{1,8}$/);
const value = fc.stringMatching(/^(?:[\x21-\x7e](?:[\x20-\x7e]{0,8}[\x21-\x7e])?)?$/);

interface Signed {
  readonly request: ClientRequest;
  readonly coversHeader: boolean;
}

/** A request that is signed right, with a header `x-a` that may be covered, and `x-b` that never is. */
const signed: fc.Arbitrary<Signed> = fc
  .record({
    method: fc.constantFrom('GET', 'POST', 'DELETE'),
    target: fc
      .tuple(word, fc.option(word, { nil: null }))
      .map(([path, query]) => `/${path}${query === null ? '' : `?${query}`}`),
    host: word.map((name) => `${name}.example`),
    a: fc.array(value, { minLength: 1, maxLength: 2 }),
    b: value,
    body: fc.oneof(fc.constant(''), value),
    covering: fc.constantFrom(...coverings),
    coversHeader: fc.boolean(),
  })
  .map(({ method, target, host, a, b, body, covering, coversHeader }) => {
    const { headers } = signedByKey({
      ...{ key, created: NOON, method, target, host, body },
      headers: [...a.map((text) => ['X-A', text] as const), ['X-B', b]],
      covered: [...covering, ...(body.length === 0 ? [] : ['"content-digest"']), ...(coversHeader ? ['"x-a"'] : [])],
    });
    const request = { method, path: target, authority: host, headers, body: Buffer.from(body, 'latin1') };
    return { request, coversHeader };
  });

/** Another text: with one character in place of another, more, or less. */
const change: fc.Arbitrary<(text: string) => string> = fc
  .tuple(fc.nat(), fc.constantFrom('', 'x', '7', '.', '-', '"', '=', ' '), fc.boolean())
  .map(([at, character, isInserted]) => (text: string) => {
    const index = text.length === 0 ? 0 : at % text.length;
    return text.slice(0, index) + character + text.slice(isInserted ? index : index + 1);
  });

function withHeader(request: ClientRequest, name: string, changed: (text: string) => string): ClientRequest {
  const at = request.headers.findIndex(([each]) => each === name);
  const headers = request.headers.map(
    (header, index): ClientHeader => (index === at ? [name, changed(header[1])] : header),
  );
  return { ...request, headers };
}

describe('HTTP message signatures', () => {
  it('are accepted over whatever was signed', () => {
    fc.assert(
      fc.property(signed, ({ request }) => {
        assert.equal(codeOf(request), 'ACCEPTED');
      }),
    );
  });

  it('are accepted whatever becomes of what they do not cover', () => {
    fc.assert(
      fc.property(signed, change, value, ({ request, coversHeader }, changed, more) => {
        const other = withHeader(request, 'X-B', () => more);
        assert.equal(codeOf({ ...other, headers: [['X-C', more], ...other.headers] }), 'ACCEPTED');
        if (!coversHeader) assert.equal(codeOf(withHeader(request, 'X-A', changed)), 'ACCEPTED');
      }),
    );
  });

  it('are refused when a byte of what they cover was changed', () => {
    const parts: Readonly<Record<string, (request: ClientRequest, to: (text: string) => string) => ClientRequest>> = {
      method: (request, to) => ({ ...request, method: to(request.method) }),
      path: (request, to) => ({ ...request, path: `/${to(request.path.slice(1))}` }),
      authority: (request, to) => ({ ...request, authority: to(request.authority) }),
      'x-a': (request, to) => withHeader(request, 'X-A', (text) => to(text).trim()),
    };
    fc.assert(
      fc.property(signed, fc.constantFrom(...Object.keys(parts)), change, ({ request, coversHeader }, part, to) => {
        const changed = parts[part]?.(request, to) ?? request;
        fc.pre(JSON.stringify(changed).toLowerCase() !== JSON.stringify(request).toLowerCase());
        fc.pre(part !== 'x-a' || coversHeader);
        // A method or path with a blank or nothing in it is no request line.
        const isLine = /^[A-Z7x.-]+$/.test(changed.method) && !/[ ]/.test(changed.path);
        const isOpened = changed.path.includes('?') && !request.path.includes('?');
        const code = codeOf(changed);
        if (isLine) assert.ok(code === 'AUTHENTICATION_FAILED' || (isOpened && code === 'CREDENTIALS_MALFORMED'), code);
        else assert.notEqual(code, 'ACCEPTED');
      }),
      { numRuns: 600 },
    );
  });

  it('are refused when a byte of the body was changed', () => {
    fc.assert(
      fc.property(signed, change, ({ request }, to) => {
        fc.pre(request.body.length > 0);
        const body = Buffer.from(to(request.body.toString('latin1')), 'latin1');
        fc.pre(!body.equals(request.body));
        assert.equal(codeOf({ ...request, body }), 'DIGEST_MISMATCH');
      }),
    );
  });

  it('are refused when a byte of their own fields was changed', () => {
    fc.assert(
      fc.property(
        signed,
        fc.constantFrom('Signature-Input', 'Signature', 'Content-Digest'),
        change,
        ({ request }, name, to) => {
          const changed = withHeader(request, name, to);
          fc.pre(JSON.stringify(changed) !== JSON.stringify(request));
          fc.pre(changed.headers.every(([, text]) => text === text.trim()));
          assert.notEqual(codeOf(changed), 'ACCEPTED');
        },
      ),
      { numRuns: 800 },
    );
  });

  it('are read without an exception, whatever the fields hold', () => {
    const pieces = [
      'sig1',
      '=',
      '(',
      ')',
      '"@method"',
      '"@query-param"',
      ';name="a"',
      '"x-a"',
      ';sf',
      ';bs',
      ';key="a"',
    ];
    const others = [
      ' ',
      ',',
      ':YQ==:',
      ';created=1',
      ';keyid="acme-public-key"',
      ';alg="ed25519"',
      ';',
      '"',
      '\\',
      '\xff',
      '?1',
    ];
    const text = fc.array(fc.constantFrom(...pieces, ...others), { maxLength: 20 }).map((all) => all.join(''));
    const field = fc.oneof(text, fc.string({ unit: 'binary-ascii' }), fc.constant('sig1=:YQ==:'));
    fc.assert(
      fc.property(field, field, field, (input, signature, digest) => {
        const headers = [
          ['Signature-Input', input],
          ['Signature', signature],
          ['Content-Digest', digest],
          ['X-A', digest],
        ] as const;
        const body = Buffer.from('a');
        const code = codeOf({ method: 'POST', path: '/a?a=%', authority: 'a', headers, body });
        assert.notEqual(code, 'ACCEPTED');
      }),
      { numRuns: 3000 },
    );
  });
});
