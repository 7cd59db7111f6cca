import assert from 'node:assert/strict';
import { fieldValue, fieldValues, type HttpAnswer, jsonBody } from '../http/http-message.ts';

/** What callers of signed endpoints are told with each code, as a partner's program would have it written down. */
const told = {
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
  BODY_TOO_LARGE: [413, 'The request body is too large.'],
  BODY_NOT_VERIFIABLE: [415, 'The request body is of a kind that cannot be verified.'],
  RATE_LIMITED: [429, 'The limit of requests is reached.'],
  UNAVAILABLE: [503, 'The request could not be decided.'],
} as const satisfies Readonly<Record<string, readonly [status: number, message: string]>>;

/** A code that callers of signed endpoints are told. */
export type SignedCode = keyof typeof told;

/** The scheme word of `WWW-Authenticate` on endpoints of a signature method (spec §5). */
export const challenges = { hmac: 'hmac', 'parameter-signature': 'Sign' } as const;

/** Everything about a refusal: status, headers and the whole body, with `more` beside the three fields of every one. */
export function assertSignedRefused(
  answer: HttpAnswer,
  code: SignedCode,
  method: keyof typeof challenges,
  more: Readonly<Record<string, unknown>> = {},
): void {
  const [status, message] = told[code];
  const requestId = fieldValue(answer.headers, 'x-request-id');
  assert.match(requestId ?? '', /^[0-9a-f-]{36}$/);
  assert.deepEqual([answer.status, jsonBody(answer)], [status, { code, message, requestId, ...more }]);
  assert.equal(fieldValue(answer.headers, 'content-type'), 'application/json');
  if (code !== 'UNAVAILABLE') assert.equal(fieldValue(answer.headers, 'cache-control'), 'no-store');
  const challenge = status === 401 ? [`${challenges[method]} realm="postern"`] : [];
  assert.deepEqual(fieldValues(answer.headers, 'www-authenticate'), challenge);
}
