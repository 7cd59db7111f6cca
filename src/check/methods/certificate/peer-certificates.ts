import { hash } from 'node:crypto';
import { RememberedTokens } from '../../tokens/remembered-tokens.ts';
import { Issuers } from './issuers.ts';
import { type PeerCertificate, readPeerCertificate } from './peer-certificate.ts';

/** See {@link RememberedTokens}; each takes about 3 KiB. */
const REMEMBERED = 5000;

/** The certificates of clients, each read once, and who issued them. */
export class PeerCertificates {
  readonly issuers = new Issuers();
  /** By the SHA-256 of the text that Envoy sent. */
  readonly #remembered: RememberedTokens<PeerCertificate>;

  constructor(remembered = REMEMBERED) {
    this.#remembered = new RememberedTokens(remembered);
  }

  /** See {@link readPeerCertificate}. */
  read(text: string): PeerCertificate | null {
    const digest = hash('sha256', text, 'base64');
    const known = this.#remembered.get(digest);
    if (known !== undefined) return known;
    const certificate = readPeerCertificate(text);
    if (certificate !== null) this.#remembered.set(digest, certificate);
    return certificate;
  }
}
