import { isRefusal } from '../../refusal.ts';
import { headerOf, signableRequest } from '../../signing/client-request.ts';
import { authenticateSigner } from '../authenticate-signer.ts';
import { type Explainer, unknownSender, withoutSignature } from '../explanation/explainer.ts';
import { httpSignatureStrategy } from './authenticate.ts';
import { DIGEST_FIELD } from './coverage.ts';
import { SIGNATURE, SIGNATURE_INPUT } from './message-signature.ts';
import { readCandidates } from './read-signature.ts';

/** Who signed a request by RFC 9421, as it says itself (spec §3.5). What is wrong with it, the gateway says alone. */
export const httpSignatureExplainer: Explainer<'http-message-signature'> = {
  findSentIdentity: (request, options) => {
    const candidates = readCandidates(signableRequest(request), options);
    const [first] = isRefusal(candidates) ? [] : candidates;
    if (first === undefined) return unknownSender;
    return { ...unknownSender, appKey: first.appKey, signedSeconds: first.parameters.created };
  },
  credentialHeaders: () => [SIGNATURE_INPUT, SIGNATURE],
  bodyBears: (request) => (headerOf(request, DIGEST_FIELD) === null ? 'nothing' : 'digest'),
  authenticateWithoutDigest: (routed, options, ports) =>
    authenticateSigner({ ...httpSignatureStrategy, checkBody: () => null }, routed, options, ports),
  explain: () => withoutSignature([]),
};
