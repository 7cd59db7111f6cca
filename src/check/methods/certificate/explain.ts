import { type Explainer, unknownSender, withoutSignature } from '../explanation/explainer.ts';

/** What can be said of a request by a certificate of the connection: what the gateway itself says. */
export const certificateExplainer: Explainer<'certificate'> = {
  findSentIdentity: () => unknownSender,
  credentialHeaders: () => [],
  bodyBears: () => 'nothing',
  authenticateWithoutDigest: null,
  explain: () => withoutSignature([]),
};
