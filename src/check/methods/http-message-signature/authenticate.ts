import { takeTurns } from '../../../base/text/work.ts';
import type { HttpSignatureOptions } from '../../../model/endpoint.ts';
import type { PublicKey } from '../../../model/public-key/public-key.ts';
import { refuse } from '../../refusal.ts';
import type { SignatureStrategy } from '../authenticate-signer.ts';
import { concealSignature } from './conceal.ts';
import { checkContentDigest } from './content-digest.ts';
import type { HttpSignatureCredentials } from './credentials.ts';
import { readSignature } from './read-signature.ts';
import { AHEAD_SECONDS, checkSignatureTime } from './signature-time.ts';
import { publicKeys, verifyHttpSignature } from './verify.ts';

/** An HTTP message signature with a private key of the caller, the body bound in by its digest (spec §3.5). */
export const httpSignatureStrategy: SignatureStrategy<HttpSignatureCredentials, HttpSignatureOptions, PublicKey> = {
  method: 'http-message-signature',
  read: readSignature,
  keys: publicKeys,
  verify: verifyHttpSignature,
  // That two App Keys are known is for a rightful signer only.
  checkTime: (created, nowSeconds, { clockSkewSeconds }, { expires, hasRival }) =>
    hasRival
      ? refuse('CREDENTIALS_MALFORMED', 'more than one signature has a known keyid')
      : checkSignatureTime({ created, expires }, nowSeconds, clockSkewSeconds),
  checkBody: ({ digests }, { body }) => (digests === null ? null : takeTurns(checkContentDigest(digests, body))),
  // Which of several was taken would tell that its App Key is known.
  hintOf: ({ bases: [base], isAlone }) => (base === undefined || !isAlone ? undefined : Buffer.from(base, 'latin1')),
  // Not the bytes of the signature: one of ECDSA has a twin that fits too.
  markOf: ({ nonce }) => Buffer.from(nonce ?? '', 'latin1'),
  windowSeconds: (skewSeconds) => skewSeconds + AHEAD_SECONDS,
  conceal: (routed, options, signature) => concealSignature(routed, options, signature),
};
