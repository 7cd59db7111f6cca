import { type Explainer, unknownSender, withoutSignature } from '../explanation/explainer.ts';

/** What the gateway says of an HTTP message signature, and no more (spec §3.5). */
export const httpSignatureExplainer: Explainer<'http-message-signature'> = {
  findSentIdentity: () => unknownSender,
  credentialHeaders: () => ['signature-input', 'signature'],
  bodyBears: () => 'nothing',
  authenticateWithoutDigest: null,
  explain: () => withoutSignature([]),
};
