import type { RefusalCode } from '../refusal.ts';
import { refusalAnswers } from './refusal-answers.ts';

/** The errors of RFC 6750 §3.1 that go with refusals of an oauth2 endpoint; none when the request has no token (§3). */
const errors: Partial<Record<RefusalCode, string>> = {
  MALFORMED_REQUEST: 'invalid_request',
  CREDENTIALS_MALFORMED: 'invalid_token',
  TOKEN_INVALID: 'invalid_token',
};

/** `WWW-Authenticate` of a refusal by an oauth2 endpoint. */
export function bearerChallenge(code: RefusalCode): string {
  const error = errors[code];
  if (error === undefined) return 'Bearer realm="postern"';
  return `Bearer realm="postern", error="${error}", error_description="${refusalAnswers[code].message}"`;
}
