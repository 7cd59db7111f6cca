import { constants } from 'node:crypto';
import type { SecureContextOptions } from 'node:tls';

/** Forward secrecy and authenticated encryption only (RFC 9113 §9.2.2, RFC 9325 §4.2); TLS 1.3's are always on. */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

/** PEM texts of one side of TLS. */
export interface PemTexts {
  readonly certificate: string | Buffer | null;
  readonly key: string | Buffer | null;
  /** Null: the authorities that Node trusts. */
  readonly ca: string | Buffer | null;
}

/**
 * The options of every TLS context of Postern, whatever Node's own options allow: TLS 1.2 or 1.3, no renegotiation
 * (RFC 9113 §9.2.1), and no tickets, so that each connection shows its certificate and is judged by the authorities of
 * now.
 */
export function secureContextOptions({ certificate, key, ca }: PemTexts): SecureContextOptions {
  return {
    ...(certificate === null || key === null ? {} : { cert: certificate, key }),
    ...(ca === null ? {} : { ca }),
    minVersion: 'TLSv1.2',
    ciphers: CIPHERS,
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION | constants.SSL_OP_NO_TICKET,
  };
}
