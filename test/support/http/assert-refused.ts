import assert from 'node:assert/strict';
import { fieldValue, fieldValues, type HttpAnswer, jsonBody } from './http-message.ts';

/** Status and message of each code, as a partner's program would have them written down. */
export const publicAnswers = {
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
  ADDRESS_NOT_ALLOWED: [403, 'The request comes from an address that is not allowed.'],
  NOT_AUTHORIZED: [403, 'The consumer is not authorized on this endpoint.'],
  ENDPOINT_NOT_FOUND: [404, 'No endpoint serves this request.'],
  BODY_TOO_LARGE: [413, 'The request body is too large.'],
  BODY_NOT_VERIFIABLE: [415, 'The request body is of a kind that cannot be verified.'],
  RATE_LIMITED: [429, 'The limit of requests is reached.'],
  UNAVAILABLE: [503, 'The request could not be decided.'],
  GATEWAY_ERROR: [400, 'The gateway could not complete the request.'],
} as const satisfies Readonly<Record<string, readonly [status: number, message: string]>>;

/** A code that callers receive; `GATEWAY_ERROR` stands for Envoy's own 400. */
export type RefusedCode = keyof typeof publicAnswers;

/** The status that goes with a code. */
export function statusOf(code: RefusedCode): number {
  return publicAnswers[code][0];
}

/** Everything about a refusal with a body: status, code, message, request id and headers (spec §5). */
export function assertRefused(answer: HttpAnswer, code: RefusedCode): void {
  const [status, message] = publicAnswers[code];
  const requestId = fieldValue(answer.headers, 'x-request-id');
  // What Envoy could not read has no id.
  if (code !== 'GATEWAY_ERROR') assert.match(requestId ?? '', /^[0-9a-f-]{36}$/);
  assert.deepEqual([answer.status, jsonBody(answer)], [status, { code, message, requestId }]);
  assertRefusalHeaders(answer, code);
}

/** The headers of a refusal alone, which `HEAD` gets without a body. */
export function assertRefusalHeaders(answer: HttpAnswer, code: RefusedCode): void {
  const [status] = publicAnswers[code];
  assert.equal(answer.status, status);
  assert.equal(fieldValue(answer.headers, 'content-type'), 'application/json');
  // Envoy's own answers carry no cache-control: they are not a 200 that a cache would keep without it.
  if (code !== 'GATEWAY_ERROR' && code !== 'UNAVAILABLE') {
    assert.equal(fieldValue(answer.headers, 'cache-control'), 'no-store');
  }
  assert.deepEqual(
    fieldValues(answer.headers, 'www-authenticate'),
    status === 401 ? ['Key realm="postern"'] : [],
    'WWW-Authenticate',
  );
}
