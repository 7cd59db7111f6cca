import { randomUUID } from 'node:crypto';
import { optionsOf } from '../../../model/endpoint.ts';
import { signHttpMessage } from '../../../check/methods/http-message-signature/sign.ts';
import { isRefusal } from '../../../check/refusal.ts';
import type { ClientRequest } from '../../../check/signing/client-request.ts';
import { keyPartner } from '../demo-keys.ts';
import { bodyRequest, headersFinding, type Moment, type RowGroup, sentAgain } from '../row.ts';

const transfer = '{"to":"NL02ABNA0123456789","amount":129.90}';
/** Those of the endpoint `transfers`. */
const options = optionsOf('http-message-signature', { replayProtection: true });

/** HTTP message signatures (spec §3.5). */
export const httpMessageSignatureRows: RowGroup = {
  title: 'HTTP message signature',
  rows: [
    {
      title: 'POST, signed with a private key',
      expected: '200 as cumulus',
      request: (moment) => signedTransfer(moment, randomUUID()),
    },
    {
      title: 'POST, its body changed',
      expected: '401 DIGEST_MISMATCH',
      request: (moment) => ({
        ...signedTransfer(moment, randomUUID()),
        body: Buffer.from(transfer.replace('129', '929')),
      }),
    },
    {
      title: 'POST, its nonce sent again',
      expected: '401 REQUEST_REPLAYED',
      before: (moment) => signedTransfer(moment, 'sent-twice'),
      request: (moment, before) => sentAgain(before, '200 as cumulus', signedTransfer(moment, 'sent-twice')),
    },
    {
      title: 'POST, not signed',
      expected: '401 CREDENTIALS_MISSING',
      request: plainTransfer,
      examine: (exchange) => headersFinding(exchange, ['accept-signature']),
      tryIt: 'the answer says what must be signed',
    },
  ],
};

function plainTransfer(moment: Moment): ClientRequest {
  return bodyRequest(moment, '/transfers', 'application/json', transfer);
}

function signedTransfer(moment: Moment, nonce: string): ClientRequest {
  const { keys, nowSeconds } = moment;
  const signing = { appKey: keyPartner.signerKey, privateKey: keys.signer, alsoSigned: [], nowSeconds, nonce };
  const signed = signHttpMessage(plainTransfer(moment), options, signing);
  if (isRefusal(signed)) throw new Error(`the demo's own request cannot be signed: ${signed.detail}`);
  return signed;
}
