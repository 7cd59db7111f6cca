import assert from 'node:assert/strict';
import { fieldValue, type HttpAnswer, jsonBody } from '../../support/http/http-message.ts';

/** A refusal with this status and code, whatever the method of the endpoint, with a challenge for it on 401. */
export function assertCode(answer: HttpAnswer, status: number, code: string): void {
  const { code: received, message } = jsonBody(answer) as { code: unknown; message: unknown };
  assert.deepEqual([answer.status, received], [status, code], answer.body.toString());
  assert.ok(typeof message === 'string' && message.endsWith('.'));
  const challenge = fieldValue(answer.headers, 'www-authenticate');
  if (status === 401) assert.match(challenge ?? '', /^(?:Key|hmac|Sign|Bearer) realm="postern"/);
  else assert.equal(challenge, null);
}
