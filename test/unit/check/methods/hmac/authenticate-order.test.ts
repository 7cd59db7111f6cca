import { type RequestParts } from '../../../../support/pipeline/check-request.ts';
import { NOON } from '../../../../support/time/fixed-clock.ts';
import { digestText, type HmacParts, signedByHmac } from '../../../../support/partner/hmac.ts';
import { describeOrder, type Fault, receivedFaults } from '../../../../support/partner/order-of-checks.ts';
import { asCheck, signedGateway } from '../../../../support/partner/signed-gateway.ts';

const withAuthorization =
  (values: readonly string[]) =>
  (request: RequestParts): RequestParts => ({
    ...request,
    headers: [
      ...(request.headers ?? []).filter(([name]) => name.toLowerCase() !== 'authorization'),
      ...values.map((value) => ['authorization', value] as const),
    ],
  });

const faults: readonly Fault<HmacParts>[] = [
  ...receivedFaults,
  {
    code: 'BODY_TOO_LARGE',
    detail: 'the body has more than 10485760 bytes',
    change: (request) => ({ ...request, body: Buffer.alloc(10_485_761) }),
  },
  {
    code: 'MALFORMED_REQUEST',
    detail: 'the path has a "!", which may stand for a byte that Envoy could not show',
    change: (request) => ({ ...request, path: '/signed/!', headerForm: 'map' }),
  },
  {
    code: 'CREDENTIALS_MISSING',
    detail: 'the request has no Authorization header',
    change: withAuthorization([]),
  },
  {
    code: 'CREDENTIALS_MISSING',
    detail: 'the Authorization header has another scheme',
    change: withAuthorization(['Basic x']),
  },
  {
    code: 'CREDENTIALS_MALFORMED',
    detail: 'the Authorization header has something other than its four parameters, each written name="value"',
    change: withAuthorization(['hmac x']),
  },
  {
    code: 'CREDENTIALS_MALFORMED',
    detail: 'the headers list has more names than the request has headers',
    change: withAuthorization([
      `hmac appkey="a", algorithm="hmac-sha256", headers="${'a b '.repeat(50)}c", signature="TWFu"`,
    ]),
  },
  {
    code: 'CREDENTIALS_MALFORMED',
    detail: 'the request has a body but no Digest header',
    change: (request) => ({ ...request, headers: (request.headers ?? []).filter(([name]) => name !== 'Digest') }),
    parts: { signed: ['date', 'request-line'] },
  },
  { code: 'AUTHENTICATION_FAILED', detail: 'the App Key is unknown', parts: { appKey: 'nobody' } },
  {
    code: 'AUTHENTICATION_FAILED',
    detail: 'the signature does not fit the request',
    parts: { secret: 'some other secret' },
  },
  {
    code: 'REQUEST_EXPIRED',
    detail: "the signed time is 301 s behind the server's; 300 s are allowed",
    parts: { dateSeconds: NOON - 301 },
  },
  {
    code: 'DIGEST_MISMATCH',
    detail: 'the Digest header is not SHA-256= and the hash of the 8 bytes received',
    parts: { digest: digestText('another body') },
  },
  { code: 'NOT_AUTHORIZED', detail: 'the consumer acme has no grant', isClosed: true },
  { code: 'RATE_LIMITED', detail: 'over 1/minute/consumer', isLimited: true },
];

describe('an hmac request with many faults is refused for the first of them', () => {
  describeOrder(
    faults,
    (parts) =>
      asCheck(signedByHmac({ method: 'POST', target: '/signed', dateSeconds: NOON, body: 'the body', ...parts })),
    (parts) => signedGateway('hmac', parts),
  );
});
