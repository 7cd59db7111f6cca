import assert from 'node:assert/strict';
import { type PlainRequest, type Protocol, protocols, send } from '../../support/http/http-client.ts';
import { jsonBody } from '../../support/http/http-message.ts';
import { withinOneSecond } from '../../support/partner/use-signed-stack.ts';
import { VECTOR_ENDPOINT, vectorEndpoints } from '../../support/partner/vector-endpoints.ts';
import { hmacVectorAt } from '../../support/partner/vectors-now.ts';
import { release } from '../../support/lifetime/release.ts';
import { hmacMessage, type HmacVector, readVectors, type VectorFile } from '../../support/signing/signature-vectors.ts';
import { type Stack, startStack } from '../../support/stack/stack.ts';

const published = readVectors('published');
const extended = readVectors('extended');
const [, , thirdSecret = ''] = extended.secrets ?? [];
const THIRD_SECRET_KEY = 'partner-of-the-third-secret';

/** Correct signatures that spec §3.2 refuses by default. */
const refusedByDefault = new Map([
  ['H3-http2-literal', 'AUTHENTICATION_FAILED'],
  ['H10-body-digest-unsigned', 'CREDENTIALS_MALFORMED'],
]);
const cases: readonly { file: VectorFile; vector: HmacVector }[] = [
  ...published.hmac.cases.map((vector) => ({
    file: published,
    vector: { ...vector, expect: refusedByDefault.get(vector.id) ?? 'ACCEPTED' },
  })),
  ...extended.hmac.cases.map((vector) => ({ file: extended, vector })),
];
const endpoints = vectorEndpoints(
  'hmac',
  cases.map(({ vector }) => vector.options),
  [
    { appKey: published.hmac.appKey, secrets: [published.hmac.appSecret] },
    { appKey: extended.hmac.appKey, secrets: (extended.secrets ?? []).slice(0, 2) },
    { appKey: THIRD_SECRET_KEY, secrets: [thirdSecret] },
  ],
);

/** Vectors that cannot be brought to Postern this way, by protocol. */
const unsendable: Readonly<Record<Protocol, readonly string[]>> = {
  'HTTP/1.1': [
    'pseudo-header', // no field name
    'unsignable-authorization', // the other line decides about the scheme
    'unsignable-transfer-encoding', // no coding that Envoy knows
    'line-lower-case-method', // refused by Envoy
    'line-extension-method', // refused by Envoy
  ],
  'HTTP/2': [
    'unsignable-authorization',
    // Not in HTTP/2; Node.js does not send them, or not twice.
    'unsignable-connection',
    'unsignable-keep-alive',
    'unsignable-te',
    'unsignable-transfer-encoding',
    'date-twice',
  ],
};

describe('the hmac vectors through Envoy', () => {
  let stack: Stack;
  before(async () => {
    stack = await startStack(endpoints.document, { edit: endpoints.addRoutes });
  });
  after(() => release(stack));

  for (const protocol of protocols) {
    for (const { file, vector } of cases) {
      const isOfAnother = vector.protocol !== undefined && vector.protocol !== protocol;
      // Large bodies have tests of their own.
      if (isOfAnother || vector.bodyRepeat !== undefined || unsendable[protocol].includes(vector.id)) continue;
      it(`${vector.id}, over ${protocol}: ${vector.expect ?? ''}`, async () => {
        const answer = await withinOneSecond(stack, (seconds) =>
          send(protocol, stack.envoy.port, requestOf(file, vector, seconds)),
        );
        const code = answer.status === 200 ? 'ACCEPTED' : (jsonBody(answer) as { code: string }).code;
        assert.equal(code, vector.expect);
        assert.equal(stack.backend.requests.length, vector.expect === 'ACCEPTED' ? 1 : 0);
      });
    }
  }
});

function requestOf(file: VectorFile, vector: HmacVector, seconds: number): PlainRequest {
  const { vector: current, secret } = hmacVectorAt(file, vector, seconds);
  const { method, path, authority, headers, body } = hmacMessage(file, current);
  const ofThirdSecret = (value: string): string =>
    secret === thirdSecret ? value.replace(file.hmac.appKey, THIRD_SECRET_KEY) : value;
  return {
    method,
    target: path,
    host: authority,
    headers: [
      // The client writes the length of the body itself.
      ...headers
        .filter(([name]) => name !== 'content-length')
        .map(([name, value]) => [name, ofThirdSecret(value)] as const),
      [VECTOR_ENDPOINT, endpoints.idOf(vector.options)],
    ],
    ...(body.length === 0 ? {} : { body }),
  };
}
