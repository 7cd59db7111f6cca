import { html } from 'hono/html';
import { type RefusalCode, refusalAnswers } from '../../../check/refusal.ts';
import type { Html } from '../frame/html.ts';
import type { Page } from '../frame/page.ts';
import { table } from '../parts/table.ts';

/** What to do about a refusal: the partner does it, or who runs the gateway. */
const advice: Readonly<Record<RefusalCode, string>> = {
  MALFORMED_REQUEST:
    'The partner sends a request line or Host that cannot be read: percent-encode what cannot stand there.',
  PATH_NOT_NORMAL: 'The partner sends a path without "." and "..", without empty segments, and in ASCII.',
  TOO_MANY_PARAMETERS: 'The partner sends fewer parameters, or JSON.',
  AMBIGUOUS_PARAMETERS: 'The partner sends values with & and = as JSON.',
  MALFORMED_WRAPPER: 'The partner sends the JSON wrapper with data, appKey, sign and apiTimestamp only.',
  CREDENTIALS_MISSING:
    'The partner sends the credentials where the endpoint takes them. Hand over the instructions again.',
  CREDENTIALS_MALFORMED:
    'The partner writes the credentials as the endpoint takes them. Hand over the instructions again.',
  AUTHENTICATION_FAILED:
    'Look at the credential: is it revoked, has it ended, is it of another consumer? If not, the partner signs with another secret or signs another text.',
  REQUEST_EXPIRED:
    'The partner corrects the clock of the machine that signs, and signs each request just before it is sent.',
  REQUEST_REPLAYED: 'The partner signs every attempt again, with something unique in it, such as a nonce.',
  DIGEST_MISMATCH: 'The partner computes the digest over the exact bytes that are sent.',
  TOKEN_INVALID: 'The partner gets a new access token and tries once more.',
  NOT_AUTHORIZED: 'Give the consumer access to the endpoint, or give its grant a later end.',
  ENDPOINT_NOT_FOUND: 'No endpoint takes this host, path and method, or it is disabled.',
  BODY_TOO_LARGE: 'The partner sends a smaller body.',
  BODY_NOT_VERIFIABLE: 'The partner sends a form or JSON in UTF-8, not compressed.',
  RATE_LIMITED: 'The partner waits as long as Retry-After says, and sends less. Or you raise the limit.',
  STORE_UNAVAILABLE: 'The database does not answer. The partner tries again. Look at the database now.',
  LIMITER_UNAVAILABLE: 'The rate limit service does not answer. The partner tries again. Look at the service now.',
  UNAVAILABLE: 'The gateway could not decide. The partner tries again. Look at the replicas.',
  INTERNAL: 'A fault of the gateway. Its log has the request id.',
};

function isCode(code: string): code is RefusalCode {
  return Object.hasOwn(advice, code);
}

/** A code, which leads to what it means. Codes of the OAuth2 endpoints have no page. */
export function codeLink(code: string): Html {
  return isCode(code) ? html`<a href="/refusal-codes#${code}"><code>${code}</code></a>` : html`<code>${code}</code>`;
}

/** What to do about a code; null for one of the OAuth2 endpoints. */
export function adviceFor(code: string): string | null {
  return isCode(code) ? advice[code] : null;
}

/** The codes that requests are refused with, for choices. */
export const codes: readonly RefusalCode[] = Object.keys(advice) as RefusalCode[];

/** What each code means, and what to do about it. */
export const refusalCodes: Page = {
  path: '/refusal-codes',
  needs: 'read',
  show: async () =>
    await Promise.resolve({
      title: 'What the codes of refusals mean',
      trail: [{ href: '/refusals', text: 'Refusals' }],
      body: table({
        caption: 'Codes of refusals',
        columns: ['Code', 'Status', 'What callers read', 'What to do'],
        rows: codes.map((code) => [
          html`<code id="${code}">${code}</code>`,
          String(refusalAnswers[code].status),
          refusalAnswers[code].message,
          advice[code],
        ]),
        empty: '',
      }),
    }),
};
