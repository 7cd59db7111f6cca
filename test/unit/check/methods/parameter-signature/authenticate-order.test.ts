import { type RequestParts } from '../../../../support/pipeline/check-request.ts';
import { NOON } from '../../../../support/time/fixed-clock.ts';
import { describeOrder, type Fault, receivedFaults } from '../../../../support/partner/order-of-checks.ts';
import {
  FORM_TYPE,
  formRequest,
  JSON_TYPE,
  jsonRequest,
  withSign,
  wrapperOf,
} from '../../../../support/partner/parameters.ts';
import { acme } from '../../../../support/partner/signature-document.ts';
import { asCheck, signedGateway } from '../../../../support/partner/signed-gateway.ts';

/** What a signed request is made of here. */
interface Parts {
  readonly appKey: string;
  readonly secret: string;
  readonly timestamp: number;
}

const withBody =
  (write: (body: string) => string) =>
  (request: RequestParts): RequestParts => {
    const { body = '' } = request;
    const text = write(typeof body === 'string' ? body : Buffer.from(body).toString('latin1'));
    return { ...request, body: Buffer.from(text, 'latin1') };
  };
const withType =
  (type: string) =>
  (request: RequestParts): RequestParts => ({
    ...request,
    headers: (request.headers ?? []).map(([name, value]) => [name, name === 'Content-Type' ? type : value] as const),
  });
const lostBytes: Fault<Parts> = {
  code: 'MALFORMED_REQUEST',
  detail: 'the path has a "!", which may stand for a byte that Envoy could not show',
  change: (request) => ({ ...request, path: '/signed/!', headerForm: 'map' }),
};
const unsignedQuery: Fault<Parts> = {
  code: 'MALFORMED_REQUEST',
  detail: 'the query holds more than the appKey of the body, and nothing signs it',
  change: (request) => ({ ...request, path: '/signed?x=1' }),
};
const afterLookup: readonly Fault<Parts>[] = [
  { code: 'AUTHENTICATION_FAILED', detail: 'the App Key is unknown', parts: { appKey: 'nobody' } },
  {
    code: 'AUTHENTICATION_FAILED',
    detail: 'the signature does not fit the parameters',
    parts: { secret: 'some other secret' },
  },
  {
    code: 'REQUEST_EXPIRED',
    detail: "the signed time is 301 s ahead of the server's; 300 s are allowed",
    parts: { timestamp: NOON + 301 },
  },
  { code: 'NOT_AUTHORIZED', detail: 'the consumer acme has no grant', isClosed: true },
  { code: 'RATE_LIMITED', detail: 'over 1/minute/consumer', isLimited: true },
];

describe('a signed form with many faults is refused for the first of them', () => {
  describeOrder<Parts>(
    [
      ...receivedFaults,
      {
        code: 'BODY_TOO_LARGE',
        detail: 'the form body has more than 10485760 bytes',
        change: (request) => ({ ...request, body: Buffer.alloc(10_485_761, '&') }),
      },
      {
        code: 'BODY_NOT_VERIFIABLE',
        detail: 'the charset of the body is not UTF-8',
        change: withType(`${FORM_TYPE[1]}; charset=latin1`),
      },
      {
        code: 'BODY_NOT_VERIFIABLE',
        detail: 'the body has a Content-Encoding',
        change: (request) => ({ ...request, headers: [...(request.headers ?? []), ['content-encoding', 'br']] }),
      },
      lostBytes,
      unsignedQuery,
      {
        code: 'MALFORMED_REQUEST',
        detail: 'a "%" in the parameters is not followed by two hexadecimal digits',
        change: withBody((body) => `${body}&x=%`),
      },
      {
        code: 'MALFORMED_REQUEST',
        detail: 'the parameters are not UTF-8',
        change: withBody((body) => `${body}&x=%ff`),
      },
      {
        code: 'TOO_MANY_PARAMETERS',
        detail: 'there are more than 100 parameters',
        change: withBody((body) => `${body}${'&x'.repeat(100)}`),
      },
      {
        code: 'AMBIGUOUS_PARAMETERS',
        detail: 'a parameter holds "&" and "=", so that its signature could be read in two ways',
        change: withBody((body) => `x=1%26y%3D2&${body}`),
      },
      {
        code: 'CREDENTIALS_MISSING',
        detail: 'the request has no appKey',
        change: withBody((body) => body.replace('appKey', 'x')),
      },
      {
        code: 'CREDENTIALS_MISSING',
        detail: 'the request has no sign',
        change: withBody((body) => body.replace('sign', 'x')),
      },
      {
        code: 'CREDENTIALS_MALFORMED',
        detail: 'apiTimestamp appears more than once',
        change: withBody((body) => `${body}&apiTimestamp=1`),
      },
      { code: 'CREDENTIALS_MALFORMED', detail: 'appKey is empty', parts: { appKey: '' } },
      {
        code: 'CREDENTIALS_MALFORMED',
        detail: 'sign is not 128 lower-case hexadecimal digits',
        change: withBody((body) => body.replace(/sign=./, 'sign=')),
      },
      {
        code: 'CREDENTIALS_MALFORMED',
        detail: 'apiTimestamp is not digits only',
        change: withBody((body) => body.replace('apiTimestamp=', 'apiTimestamp=+')),
      },
      ...afterLookup,
    ],
    ({ appKey = acme.appKey, secret, timestamp = NOON }) => {
      const time = `apiTimestamp=${String(timestamp)}`;
      const wire = withSign(`${time}&appKey=${appKey}&z=1`, undefined, secret);
      return asCheck(formRequest('/signed', wire));
    },
    (parts) => signedGateway('parameter-signature', parts),
  );
});

describe('a signed wrapper with many faults is refused for the first of them', () => {
  describeOrder<Parts>(
    [
      ...receivedFaults,
      {
        code: 'BODY_TOO_LARGE',
        detail: 'the json body has more than 2097152 bytes',
        change: (request) => ({ ...request, body: Buffer.alloc(2_097_153, ' ') }),
      },
      {
        code: 'BODY_NOT_VERIFIABLE',
        detail: 'the charset of the body is not UTF-8',
        change: withType(`${JSON_TYPE[1]}; charset=utf-16`),
      },
      lostBytes,
      unsignedQuery,
      {
        code: 'MALFORMED_WRAPPER',
        detail: 'the JSON wrapper is not well formed: something follows it',
        change: withBody((body) => `${body}x`),
      },
      { code: 'CREDENTIALS_MALFORMED', detail: 'appKey is empty', parts: { appKey: '' } },
      {
        code: 'CREDENTIALS_MALFORMED',
        detail: 'sign is not 128 lower-case hexadecimal digits',
        change: withBody((body) => body.replace(/"sign":"./, '"sign":"')),
      },
      {
        code: 'CREDENTIALS_MALFORMED',
        detail: 'apiTimestamp is not digits only',
        change: withBody((body) => body.replace('"apiTimestamp":', '"apiTimestamp":-')),
      },
      ...afterLookup,
    ],
    ({ timestamp = NOON, ...key }) =>
      asCheck(jsonRequest('/signed', wrapperOf('{}', { ...key, apiTimestamp: String(timestamp) }))),
    (parts) => signedGateway('parameter-signature', parts),
  );
});
