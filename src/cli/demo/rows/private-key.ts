import { randomUUID, sign } from 'node:crypto';
import type { ClientRequest } from '../../../check/signing/client-request.ts';
import { ASSERTION_TYPE } from '../../../gateway/oauth2/assertion/read-assertion.ts';
import { keyPartner } from '../demo-keys.ts';
import { type Moment, type RowGroup, sentAgain } from '../row.ts';
import { callWith, tokenOf, tokenRequest } from './oauth2.ts';

const LIFETIME_SECONDS = 60;

/** OAuth2 with an assertion in place of a secret, `private_key_jwt` (spec §3.4). */
export const privateKeyRows: RowGroup = {
  title: 'OAuth2 with a private key',
  rows: [
    {
      title: 'token for an assertion',
      expected: '200 with a token',
      request: (moment) => assertionRequest(moment, randomUUID()),
    },
    {
      title: 'the same assertion again',
      expected: '400 invalid_client',
      before: (moment) => assertionRequest(moment, 'sent-twice'),
      request: (moment, before) => sentAgain(before, '200 with a token', assertionRequest(moment, 'sent-twice')),
    },
    {
      title: 'call with the token',
      expected: '200 as cumulus',
      before: (moment) => assertionRequest(moment, randomUUID()),
      request: (moment, before) => callWith(moment, tokenOf(before)),
    },
  ],
};

function assertionRequest(moment: Moment, jti: string): ClientRequest {
  return tokenRequest(moment, { client_assertion_type: ASSERTION_TYPE, client_assertion: assertion(moment, jti) });
}

/** A JWT (RFC 7523 §3) for the issuer that the demo's Postern is. */
function assertion({ authority, nowSeconds, keys }: Moment, jti: string): string {
  const { clientKey } = keyPartner;
  const claims = {
    iss: clientKey,
    sub: clientKey,
    aud: `http://${authority}`,
    exp: nowSeconds + LIFETIME_SECONDS,
    jti,
  };
  const text = [{ alg: 'EdDSA' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  return `${text}.${sign(null, Buffer.from(text), keys.client.object).toString('base64url')}`;
}
