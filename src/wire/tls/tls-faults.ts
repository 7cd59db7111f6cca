/** What a failed TLS handshake with a server means, by the code of Node or OpenSSL; null for codes of other faults. */
export function describeTlsFault(code: string): string | null {
  return meanings[code] ?? (/^(ERR_SSL|ERR_TLS|ERR_OSSL|CERT_|EPROTO)/.test(code) ? 'the TLS handshake failed' : null);
}

const OTHER_AUTHORITY = 'its certificate was signed by none of the authorities that are trusted here';
const REFUSES_US = 'it does not accept the client certificate that it was shown, or was shown none';
const NO_TLS = 'it does not speak TLS on that port';

const meanings: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate, or that of an authority above it, has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet; compare the clocks',
  CERT_REVOKED: 'its certificate was revoked',
  CERT_SIGNATURE_FAILURE: OTHER_AUTHORITY,
  DEPTH_ZERO_SELF_SIGNED_CERT: OTHER_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: OTHER_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: OTHER_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: OTHER_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: OTHER_AUTHORITY,
  INVALID_CA: 'its certificate was signed by one that is no authority',
  INVALID_PURPOSE: 'its certificate is not meant for servers (extended key usage)',
  HOSTNAME_MISMATCH: 'its certificate is for a different name than the one it is called by',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for a different name than the one it is called by',
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'it speaks only versions before TLS 1.2',
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'it speaks only versions before TLS 1.2',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: REFUSES_US,
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: REFUSES_US,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: 'it says that the client certificate which it was shown has expired',
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN: REFUSES_US,
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: REFUSES_US,
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: 'it does not know the authority of the client certificate that it was shown',
};
