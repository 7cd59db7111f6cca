import { type Explainer, unknownSender, withoutSignature } from '../explanation/explainer.ts';

/** What can be said of a request by a token of an outside issuer: what the gateway itself says. */
export const jwtExplainer: Explainer<'jwt'> = {
  findSentIdentity: () => unknownSender,
  credentialHeaders: () => ['authorization'],
  bodyBears: () => 'nothing',
  authenticateWithoutDigest: null,
  explain: () => withoutSignature([]),
};
