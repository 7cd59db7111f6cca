import { sign } from 'node:crypto';
import type { ClientRequest } from '../../../check/signing/client-request.ts';
import { keyPartner } from '../demo-keys.ts';
import { type Moment, plainRequest, type RowGroup } from '../row.ts';

/** Tokens of an issuer that a partner brings (spec §3.6). */
export const jwtRows: RowGroup = {
  title: 'Tokens of an issuer',
  rows: [
    {
      title: 'a token of its issuer',
      expected: '200 as cumulus',
      request: (moment) => callWith(moment, {}),
      examine: ({ echo }) => ({
        notes: [],
        fault: echo?.headers['authorization'] === undefined ? null : 'the token reached the back end',
      }),
      tryIt: 'a call with a token of an issuer',
    },
    {
      title: 'a token for another audience',
      expected: '401 TOKEN_INVALID',
      request: (moment) => callWith(moment, { aud: 'https://other.example' }),
    },
    {
      title: 'a token of nobody known',
      expected: '401 TOKEN_INVALID',
      request: (moment) => callWith(moment, { azp: 'somebody' }),
    },
    {
      title: 'a token that has ended',
      expected: '401 TOKEN_INVALID',
      request: (moment) => callWith(moment, { exp: moment.nowSeconds - 3600 }),
    },
  ],
};

/** A call with a token of the issuer, some of its claims replaced. */
function callWith(moment: Moment, claims: object): ClientRequest {
  const { issuer: iss, audience: aud, subject: azp } = keyPartner;
  const header = { alg: 'EdDSA', typ: 'JWT' };
  const payload = { iss, aud, azp, exp: moment.nowSeconds + 300, ...claims };
  const text = [header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const signature = sign(null, Buffer.from(text), moment.keys.issuer.object).toString('base64url');
  return plainRequest(moment, 'GET', '/deliveries/17', [['Authorization', `Bearer ${text}.${signature}`]]);
}
