import type { HmacAlgorithm } from '../../../model/options/hmac-algorithms.ts';
import { isRefusal, type Refusal } from '../../refusal.ts';
import { type ClientRequest, signableRequest, withHeaders } from '../../signing/client-request.ts';
import { formatImfFixdate } from '../../signing/signed-time.ts';
import type { Signing } from '../method.ts';
import { macOf } from './algorithms.ts';
import { digestOf } from './digest.ts';
import { parseHmac } from './signature.ts';
import { parseSignedHeaders, REQUEST_LINE } from './signed-headers.ts';
import { hmacTexts, SIGNED_HTTP_VERSION } from './string-to-sign.ts';

/** What signing by hmac takes (spec §3.2). */
export interface HmacSigning extends Signing {
  readonly algorithm: HmacAlgorithm;
}

/**
 * Signs a request as a caller (interface document, Authentication): gives it `Date`, for a body `Digest`, and
 * `Authorization`, in place of any it has. A refusal is what the gateway would say to such a request, for example that
 * a header to be signed is absent or cannot be signed.
 */
export function signHmac(request: ClientRequest, signing: HmacSigning): ClientRequest | Refusal {
  const hasBody = request.body.length > 0;
  const dated = withHeaders(request, [
    ['Date', formatImfFixdate(signing.nowSeconds)],
    ...(hasBody ? [['Digest', digestOf(request.body)] as const] : []),
  ]);
  const names = new Set(['date', REQUEST_LINE, ...(hasBody ? ['digest'] : []), ...signing.alsoSigned]);
  const signedHeaders = parseSignedHeaders([...names].join(' '));
  if (isRefusal(signedHeaders)) return signedHeaders;
  const texts = hmacTexts(signableRequest(dated), signedHeaders, [SIGNED_HTTP_VERSION]);
  if (isRefusal(texts)) return texts;

  const { appKey, algorithm, secret } = signing;
  const mac = macOf(algorithm, texts[0] ?? '', secret).toString('base64');
  const list = signedHeaders.join(' ');
  const signed = withHeaders(dated, [
    ['Authorization', `hmac appkey="${appKey}", algorithm="${algorithm}", headers="${list}", signature="${mac}"`],
  ]);
  const parsed = parseHmac(signableRequest(signed), { algorithms: [algorithm], acceptRealHttpVersion: false });
  return isRefusal(parsed) ? parsed : signed;
}
