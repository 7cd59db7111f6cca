import { randomUUID } from 'node:crypto';
import type { ClientRequest } from '../../../check/signing/client-request.ts';
import { bodyRequest, type Moment, type RowGroup, sentAgain } from '../row.ts';
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
      request: (moment, before) => sentAgain(before, '200 as acme', signedPayment(moment, 'sent-twice')),
    },
  ],
};

function signedPayment(moment: Moment, reference: string): ClientRequest {
  const payment = JSON.stringify({ reference, amount: 129.9 });
  return signedByAcme(bodyRequest(moment, '/payments', 'application/json', payment), moment);
}
