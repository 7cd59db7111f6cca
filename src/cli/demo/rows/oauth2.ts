import type { ClientRequest } from '../../../check/signing/client-request.ts';
import { bodyRequest, demoPairs, type Moment, plainRequest, type RowGroup } from '../row.ts';
import type { Exchange } from '../exchange.ts';

const FORM = 'application/x-www-form-urlencoded';

/** OAuth2 by client credentials (spec §3.4). */
export const oauth2Rows: RowGroup = {
  title: 'OAuth2',
  rows: [
    {
      title: 'token for the right secret',
      expected: '200 with a token',
      request: (moment) => secretRequest(moment),
      tryIt: 'a token, for an hour',
    },
    {
      title: 'token for a wrong secret',
      expected: '400 invalid_client',
      request: (moment) => secretRequest(moment, 'wrong-secret'),
    },
    {
      title: 'call with the token',
      expected: '200 as acme',
      before: (moment) => secretRequest(moment),
      request: (moment, before) => callWith(moment, tokenOf(before)),
      examine: ({ echo }) => ({
        notes: [],
        fault: echo?.headers['authorization'] === undefined ? null : 'the token reached the back end',
      }),
      tryIt: 'a call with a token',
    },
    {
      title: 'the same, one character changed',
      expected: '401 TOKEN_INVALID',
      before: (moment) => secretRequest(moment),
      request: (moment, before) => callWith(moment, changed(tokenOf(before))),
    },
    {
      title: 'no token',
      expected: '401 CREDENTIALS_MISSING',
      request: (moment) => plainRequest(moment, 'GET', '/stock/levels'),
    },
  ],
};

function secretRequest(
  moment: Moment,
  secret: string = demoPairs.oauth2.secret.reveal().toString('utf8'),
): ClientRequest {
  return tokenRequest(moment, { client_id: demoPairs.oauth2.appKey, client_secret: secret });
}

/** Asks for a token, with these fields of a client. */
export function tokenRequest(moment: Moment, client: Readonly<Record<string, string>>): ClientRequest {
  const fields = new URLSearchParams({ grant_type: 'client_credentials', ...client });
  return bodyRequest(moment, '/oauth2/token', FORM, fields.toString());
}

/** Calls an endpoint with a token. */
export function callWith(moment: Moment, text: string): ClientRequest {
  return plainRequest(moment, 'GET', '/stock/levels', [['Authorization', `Bearer ${text}`]]);
}

/** The token that came of a request. Throws when none did. */
export function tokenOf(before: Exchange | null): string {
  const text = before?.token ?? null;
  if (text === null) throw new Error(`there was no token: ${String(before?.status)} ${before?.body ?? ''}`);
  return text;
}

/** Any other character, somewhere in the middle. */
function changed(text: string): string {
  const at = Math.floor(text.length / 2);
  return `${text.slice(0, at)}${text[at] === 'A' ? 'B' : 'A'}${text.slice(at + 1)}`;
}
