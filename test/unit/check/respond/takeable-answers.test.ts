import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { type AuthenticationMethod, type OptionsOf } from '../../../../src/model/endpoint.ts';
import { formDecodeInto } from '../../../../src/base/text/form-decoding.ts';
import { isToken } from '../../../../src/base/text/http-grammar.ts';
import { signOf } from '../../../support/partner/parameters.ts';
import { acme } from '../../../support/partner/signature-document.ts';
import { acmeCredential, signedGateway } from '../../../support/partner/signed-gateway.ts';
import { type AllowedAnswer, type RefusedAnswer } from '../../../support/pipeline/answer.ts';
import { checkRequest, type RequestParts } from '../../../support/pipeline/check-request.ts';
import { testGateway } from '../../../support/pipeline/gateway.ts';
import { consumer, keyEndpoint, openEndpoint, partnerEndpoint } from '../../../support/pipeline/resources.ts';

/** Bytes as text of one character each: half and whole characters of UTF-8, encoded or not, and what has a meaning. */
const bytes = (maxLength: number): fc.Arbitrary<string> =>
  fc
    .array(
      fc.oneof(
        fc.constantFrom('a', 'b', '=', '&', '+', '%C3', '%A9', '%c3%a9', '\u00c3', '\u00a9', '\u00c3\u00a9', '\u00ff'),
        fc.constantFrom('\0', '\r', '\n', '%00', '%', '%0', '\u00ed\u00a0\u0080', '\u00f0\u009f\u0098\u0080', ' ', '"'),
        fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
      ),
      { maxLength },
    )
    .map((parts) => parts.join(''));

/** Fails where Envoy could not take an answer (bytes that are no UTF-8), or would answer 500 for it (bad names, line ends). */
function assertTakeable(answer: AllowedAnswer | RefusedAnswer): void {
  const headers = answer.kind === 'allowed' ? [...answer.upstream, ...answer.responseHeaders] : answer.headers;
  for (const [name, value] of headers) {
    assert.ok(isToken(name.replace(/^:/, '')), `the header name ${JSON.stringify(name)}`);
    assert.match(value, /^[^\0\r\n]*$/);
  }
  if (answer.kind === 'allowed') for (const name of answer.removed) assert.ok(isToken(name), JSON.stringify(name));
  // What is no UTF-8 in the message is U+FFFD when it is decoded.
  assert.ok(!JSON.stringify(answer).includes('\ufffd'), JSON.stringify(answer));
}

/** The decoded parameters, sorted by name, of a form that has no `sign` yet; null where they cannot be decoded. */
function stringToSign(form: string): Buffer | null {
  const decoded: [name: Buffer, value: Buffer][] = [];
  for (const segment of form.split('&')) {
    if (segment === '') continue;
    const equals = segment.indexOf('=');
    const parts = equals === -1 ? [segment, ''] : [segment.slice(0, equals), segment.slice(equals + 1)];
    const [name, value] = parts.map((part) => {
      const from = Buffer.from(part, 'latin1');
      const length = formDecodeInto(from, 0, from, 0, from.length);
      return length === -1 ? null : from.subarray(0, length);
    });
    if (name === undefined || value === undefined || name === null || value === null) return null;
    decoded.push([name, value]);
  }
  decoded.sort(([left], [right]) => Buffer.compare(left, right));
  const text = Buffer.concat(
    decoded.flatMap(([name, value], index) => [Buffer.from(index === 0 ? '' : '&'), name, Buffer.from('='), value]),
  );
  return isUtf8(text) ? text : null;
}

describe('an answer that Envoy can take', () => {
  it('is given to every signed form, whose credentials are taken out', async () => {
    const gateway = signedGateway('parameter-signature', {
      options: { hideCredentials: true, strictParameters: false },
    });
    let allowed = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(bytes(6), bytes(6), async (name, value) => {
        const form = `${name}=${value}&appKey=${acme.appKey}`;
        const text = stringToSign(form);
        const body = Buffer.from(`${form}&sign=${signOf(text ?? 'none')}`, 'latin1');
        const headers = [['content-type', 'application/x-www-form-urlencoded']] as const;
        const answer = await gateway.send({ method: 'POST', path: '/signed', headers, body });
        assertTakeable(answer);
        if (answer.kind === 'allowed') allowed += 1;
        else refused += 1;
        if (text !== null && !isUtf8(body)) {
          assert.deepEqual(
            [answer.kind, answer.kind === 'refused' ? answer.body.code : null],
            ['refused', 'MALFORMED_REQUEST'],
          );
        }
      }),
      { numRuns: 800 },
    );
    assert.ok(allowed > 40 && refused > 40, `${String(allowed)} allowed, ${String(refused)} refused`);
  });

  it('is given whatever names, values, target and body of a request are', async () => {
    const options = <M extends AuthenticationMethod>(method: M): OptionsOf[M] => ({
      ...partnerEndpoint(method).options,
      mode: 'observe',
      hideCredentials: true,
    });
    const gateway = testGateway({
      consumers: [consumer({ name: 'A\u00e9\u0000\r\n%' })],
      credentials: [acmeCredential({ methods: ['key', 'hmac', 'parameter-signature', 'oauth2'] })],
      endpoints: [
        openEndpoint({ id: 'open', paths: [{ prefix: '/open' }] }),
        keyEndpoint({ id: 'key', paths: [{ prefix: '/key' }] }),
        partnerEndpoint('hmac', { id: 'hmac', paths: [{ prefix: '/hmac' }], options: options('hmac') }),
        partnerEndpoint('parameter-signature', {
          id: 'parameters',
          paths: [{ prefix: '/parameters' }],
          options: { ...options('parameter-signature'), unsignedQuery: 'forward', unsignedBody: 'forward' },
        }),
        partnerEndpoint('oauth2', {
          id: 'oauth2',
          paths: [{ prefix: '/oauth2' }],
          options: { ...options('oauth2'), tokenInQuery: true },
        }),
      ],
    });
    const headers = fc.array(
      fc.tuple(
        fc.oneof(
          fc.constantFrom('x-consumer-id', 'X_Credential_X', 'authorization', 'x-request-id', 'content-type'),
          bytes(3).map((end) => `x-consumer-${end}`),
          bytes(3),
        ),
        fc.oneof(fc.constantFrom('application/json', 'application/x-www-form-urlencoded', 'Bearer x'), bytes(5)),
      ),
      { maxLength: 4 },
    );
    const path = fc
      .tuple(fc.constantFrom('/open', '/key', '/hmac', '/parameters', '/oauth2'), fc.option(bytes(6)))
      .map(([prefix, query]) => `${prefix}?appKey=${acme.appKey}&${query ?? ''}`);
    const body = fc.oneof(bytes(10), fc.json()).map((text) => Buffer.from(text, 'latin1'));
    await fc.assert(
      fc.asyncProperty(fc.record({ path, headers, body }), async (request: RequestParts) => {
        assertTakeable(await gateway.send(withRawNames(request)));
      }),
      { numRuns: 1200 },
    );
    assert.deepEqual(gateway.defects, []);
  });
});

/** The builder takes names as text and writes UTF-8: here they get their very bytes afterwards. */
function withRawNames(request: RequestParts): Uint8Array {
  const lines = request.headers ?? [];
  const standIn = (name: string): string => '\u0011'.repeat(name.length);
  const message = checkRequest({
    ...request,
    keepCase: true,
    headers: lines.map(([name, value]) => [standIn(name), value.replaceAll('\u0011', '.')]),
  });
  for (const [name] of lines) message.write(name, message.indexOf(standIn(name), 0, 'latin1'), 'latin1');
  return message;
}
