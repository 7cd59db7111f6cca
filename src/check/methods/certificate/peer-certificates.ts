import { hash } from 'node:crypto';
import { LastUsed } from '../../../base/last-used.ts';
import { Issuers } from './issuers.ts';
import { MAX_PEER_CERTIFICATE_CHARACTERS, type PeerCertificate, readPeerCertificate } from './peer-certificate.ts';

/** Kept at least, twice as many at most, see {@link LastUsed}; each takes about 3 KiB. */
export const REMEMBERED_CERTIFICATES = 5000;

/** The certificates of clients, each read once, and who issued them. */
export class PeerCertificates {
  readonly issuers = new Issuers();
  /** By the SHA-256 of what Envoy sent. */
  readonly #remembered: LastUsed<PeerCertificate>;

  constructor(remembered = REMEMBERED_CERTIFICATES) {
    this.#remembered = new LastUsed(remembered);
  }

  /** Reads what Envoy sent, as {@link readPeerCertificate} does. */
  read(sent: Buffer): PeerCertificate | null {
    if (sent.length > MAX_PEER_CERTIFICATE_CHARACTERS) return null;
    const digest = hash('sha256', sent, 'base64');
    const known = this.#remembered.get(digest);
    if (known !== undefined) return known;
    const certificate = readPeerCertificate(sent.toString('latin1'));
    if (certificate !== null) this.#remembered.set(digest, certificate);
    return certificate;
  }
}
