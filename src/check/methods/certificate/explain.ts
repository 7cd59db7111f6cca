import { type Explainer, type Mistake, unknownSender, withoutSignature } from '../explanation/explainer.ts';

/** How proxies and programs name headers in which they write client certificates. */
const CERTIFICATE_HEADER = /^(?:x-)?(?:forwarded-|arr-)?(?:tls-|ssl-|mtls-)?client-?cert|^(?:x-)?(?:ssl|tls)[-_]cert/i;

const NOT_SHOWN: Mistake = {
  name: 'certificate-not-shown',
  what: 'a request does not show the certificate of its connection, so that it is not judged here',
  fix: 'Look up what the gateway said of it, by its request id: postern refusals',
};

const IN_HEADER: Mistake = {
  name: 'certificate-in-header',
  what: 'a header holds a client certificate, which never counts',
  fix: 'Give certificate and private key to the TLS settings of the program that calls',
};

/** What can be said of a request whose caller proves who it is with the certificate of the connection (spec §3.7). */
export const certificateExplainer: Explainer<'certificate'> = {
  findSentIdentity: () => unknownSender,
  credentialHeaders: () => [],
  bodyBears: () => 'nothing',
  authenticateWithoutDigest: null,
  explain: ({ headers }) =>
    withoutSignature([...(headers.some(([name]) => CERTIFICATE_HEADER.test(name)) ? [IN_HEADER] : []), NOT_SHOWN]),
};
