import assert from 'node:assert/strict';
import { fieldValue, fieldValues, type HttpAnswer, jsonBody } from '../http/http-message.ts';
import { type RefusedCode, publicAnswers } from '../http/assert-refused.ts';

/** A code that callers of signed endpoints receive. */
export type SignedCode = Exclude<RefusedCode, 'GATEWAY_ERROR'>;

/** The scheme word of `WWW-Authenticate` on endpoints of a signature method (spec §5). */
export const challenges = {
  hmac: 'hmac',
  'parameter-signature': 'Sign',
  'http-message-signature': 'Signature',
} as const;

/** Everything about a refusal: status, headers and the whole body, with `more` beside the three fields of every one. */
export function assertSignedRefused(
  answer: HttpAnswer,
  code: SignedCode,
  method: keyof typeof challenges,
  more: Readonly<Record<string, unknown>> = {},
): void {
  const [status, message] = publicAnswers[code];
  const requestId = fieldValue(answer.headers, 'x-request-id');
  assert.match(requestId ?? '', /^[0-9a-f-]{36}$/);
  assert.deepEqual([answer.status, jsonBody(answer)], [status, { code, message, requestId, ...more }]);
  assert.equal(fieldValue(answer.headers, 'content-type'), 'application/json');
  if (code !== 'UNAVAILABLE') assert.equal(fieldValue(answer.headers, 'cache-control'), 'no-store');
  const challenge = status === 401 ? [`${challenges[method]} realm="postern"`] : [];
  assert.deepEqual(fieldValues(answer.headers, 'www-authenticate'), challenge);
}
