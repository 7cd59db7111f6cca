import { invalidRequest, type OAuth2Refusal, type OAuth2Request } from './messages.ts';

/** The header in which Envoy names the certificate of its caller. */
const HEADER = 'x-forwarded-client-cert';

/** One value of it, of a list that `;` separates; a quoted one may hold anything. */
const PAIR = /([A-Za-z]+)=("(?:[^"\\]|\\.)*"|[^",;]*)(?:;|$)/gy;
const SHA256 = /^[0-9A-Fa-f]{64}$/;

/**
 * The SHA-256, in base64url, of the certificate that a client has shown to Envoy; null for a client without one. Envoy
 * writes it with `forward_client_cert_details: SANITIZE_SET`, and takes away what a caller sent. Refused where it does
 * not name one certificate, as with other settings. Only a peer that is known as an Envoy is believed.
 */
export function readForwardedCertificate({
  headerValues,
  isPeerTrusted,
}: Pick<OAuth2Request, 'headerValues' | 'isPeerTrusted'>): string | null | OAuth2Refusal {
  const [value, ...more] = isPeerTrusted ? headerValues(HEADER) : [];
  if (value === undefined) return null;
  const hashes = more.length > 0 ? [] : hashesIn(value);
  const [sha256 = '', ...others] = hashes;
  if (others.length === 0 && SHA256.test(sha256)) return Buffer.from(sha256, 'hex').toString('base64url');
  return { ...invalidRequest('The client certificate of the connection cannot be told.'), detail: DETAIL };
}

const DETAIL = `${HEADER} does not name one certificate: Envoy needs forward_client_cert_details: SANITIZE_SET`;

/** The values of `Hash`; none where the text is not what one Envoy writes. */
function hashesIn(text: string): readonly string[] {
  const pairs = [...text.matchAll(PAIR)];
  if (pairs.reduce((length, [pair]) => length + pair.length, 0) !== text.length) return [];
  return pairs.flatMap(([, name = '', value = '']) => (name.toLowerCase() === 'hash' ? [value] : []));
}
