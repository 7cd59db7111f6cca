import { randomUUID } from 'node:crypto';
import type { ClientRequest } from '../../../check/signing/client-request.ts';
import type { Exchange } from '../exchange.ts';
import { bodyRequest, type Moment, type RowGroup, verdictOf } from '../row.ts';
import { signedByAcme } from './hmac.ts';

/** A signature is accepted once (spec §3.2, replayProtection). */
export const replayRows: RowGroup = {
  title: 'Replay protection',
  rows: [
    {
      title: 'signed POST',
      expected: '200 as acme',
      request: (moment) => signedPayment(moment, randomUUID()),
      tryIt: 'a signed request that passes once: the second time it is refused',
    },
    {
      title: 'signed POST, sent again',
      expected: '401 REQUEST_REPLAYED',
      before: (moment) => signedPayment(moment, 'sent-twice'),
      request: (moment, before) => again(before, signedPayment(moment, 'sent-twice')),
    },
  ],
};

function signedPayment(moment: Moment, reference: string): ClientRequest {
  const payment = JSON.stringify({ reference, amount: 129.9 });
  return signedByAcme(bodyRequest(moment, '/payments', 'application/json', payment), moment);
}

/** The request, provided that it passed the first time. */
function again(before: Exchange | null, request: ClientRequest): ClientRequest {
  if (before !== null && verdictOf(before) === '200 as acme') return request;
  throw new Error(`the first time it was refused: ${String(before?.status)} ${before?.body ?? ''}`);
}
