import { isRefusal } from '../../../check/refusal.ts';
import type { ClientRequest } from '../../../check/signing/client-request.ts';
import { signHmac } from '../../../check/methods/hmac/sign.ts';
import { bodyRequest, demoPairs, type Moment, plainRequest, type RowGroup } from '../row.ts';

const invoice = '{"number":"2026-0042","total":129.90}';
const TEN_MINUTES_SECONDS = 600;

/** HMAC authentication (spec §3.2). */
export const hmacRows: RowGroup = {
  title: 'HMAC',
  rows: [
    {
      title: 'GET without a body',
      expected: '200 as acme',
      request: signedGet,
    },
    {
      title: 'GET, its path changed',
      expected: '401 AUTHENTICATION_FAILED',
      request: (moment) => ({ ...signedGet(moment), path: '/invoices?year=2025' }),
    },
    {
      title: 'GET, signed ten minutes ago',
      expected: '401 REQUEST_EXPIRED',
      request: (moment) => signedGet({ ...moment, nowSeconds: moment.nowSeconds - TEN_MINUTES_SECONDS }),
    },
    {
      title: 'POST with a body',
      expected: '200 as acme',
      request: signedPost,
    },
    {
      title: 'POST, its body changed',
      expected: '401 DIGEST_MISMATCH',
      request: (moment) => ({ ...signedPost(moment), body: Buffer.from(invoice.replace('129', '929')) }),
    },
  ],
};

function signedGet(moment: Moment): ClientRequest {
  return signedByAcme(plainRequest(moment, 'GET', '/invoices?year=2026'), moment);
}

function signedPost(moment: Moment): ClientRequest {
  return signedByAcme(bodyRequest(moment, '/invoices', 'application/json', invoice), moment);
}

/** Signs a request with Acme's App Secret for hmac, now. */
export function signedByAcme(request: ClientRequest, { nowSeconds }: Moment): ClientRequest {
  const signed = signHmac(request, { ...demoPairs.hmac, algorithm: 'hmac-sha256', alsoSigned: ['host'], nowSeconds });
  if (isRefusal(signed)) throw new Error(`the demo's own request cannot be signed: ${signed.detail}`);
  return signed;
}
