import { generateKeyPairSync } from 'node:crypto';
import { type PrivateKey, readPrivateKey } from '../../check/signing/private-key.ts';
import { type DemoCertificates, makeDemoCertificates } from './demo-certificates.ts';

/** The partner of the demo that has key pairs and no secret; no file of this package has its keys. */
export const keyPartner = {
  consumer: 'cumulus',
  /** The `keyid` of its HTTP message signatures. */
  signerKey: 'cumulus-signer-demo',
  /** The client id of its assertions. */
  clientKey: 'cumulus-oauth2-demo',
  /** Who signs its tokens, what they say of it, and for whom they are. */
  issuer: 'https://idp.cumulus.example',
  subject: 'cumulus-deliveries',
  audience: 'https://api.example.com',
} as const;

/** The key pairs of {@link keyPartner}, one for each use, and what its mutual TLS takes. */
export interface DemoKeyPairs {
  readonly signer: PrivateKey;
  readonly client: PrivateKey;
  readonly issuer: PrivateKey;
  readonly certificates: DemoCertificates;
}

/** Makes the key pairs and certificates of one run. They are gone with the process. */
export function makeDemoKeyPairs(): DemoKeyPairs {
  return { signer: makePair(), client: makePair(), issuer: makePair(), certificates: makeDemoCertificates() };
}

function makePair(): PrivateKey {
  const { privateKey } = generateKeyPairSync('ed25519');
  const read = readPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  if ('fault' in read) throw new Error(`the key of the demo ${read.fault}`);
  return read;
}
