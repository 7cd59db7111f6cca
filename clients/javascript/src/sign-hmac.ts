import { MAX_BODY_BYTES, tooLarge } from './body-form.ts';
import { hash, hmac, type HashName } from './hash.ts';
import type { Header } from './headers.ts';
import type { HmacAlgorithm } from './settings.ts';
import { checkName, signedValue } from './signable-headers.ts';
import type { Moment, Signature } from './signature.ts';
import type { WireRequest } from './wire-request.ts';

const HASHES: Readonly<Record<HmacAlgorithm, HashName>> = {
  'hmac-sha256': 'SHA-256',
  'hmac-sha384': 'SHA-384',
  'hmac-sha512': 'SHA-512',
};

/** What an hmac client signs with. */
export interface HmacKey {
  readonly appKey: string;
  readonly appSecret: string;
  readonly algorithm: HmacAlgorithm;
  /** More headers to sign, in lower case. */
  readonly signedHeaders: readonly string[];
}

/**
 * Sets `Date`, with a body `Digest`, with a nonce `X-Nonce`, and `Authorization`.
 * Refuses with `BODY_TOO_LARGE` and `HEADER_NOT_SIGNABLE`.
 */
export async function signHmac(request: WireRequest, key: HmacKey, moment: Moment): Promise<Signature> {
  const { method, target, body } = request;
  if (body.length > MAX_BODY_BYTES) throw tooLarge(MAX_BODY_BYTES);
  for (const name of key.signedHeaders) checkName(name);
  const date = new Date(moment.seconds * 1000).toUTCString();
  const set: Header[] = [['Date', date]];
  const lines = new Map([
    ['date', `date: ${date}`],
    ['request-line', `${method} ${target} HTTP/1.1`],
  ]);
  if (body.length > 0) {
    const digest = `SHA-256=${await hash('SHA-256', [body], 'base64')}`;
    set.push(['Digest', digest]);
    lines.set('digest', `digest: ${digest}`);
  }
  const nonce = moment.nonce?.() ?? null;
  if (nonce !== null) set.push(['X-Nonce', nonce]);
  for (const name of key.signedHeaders) {
    if (name === 'x-nonce' && nonce !== null) lines.set(name, `x-nonce: ${nonce}`);
    else if (!lines.has(name)) lines.set(name, `${name}: ${signedValue(name, request)}`);
  }
  if (nonce !== null) lines.set('x-nonce', `x-nonce: ${nonce}`);
  const signed = Array.from(lines.values()).join('\n');
  const signature = await hmac(HASHES[key.algorithm], key.appSecret, signed, 'base64');
  const parts = [`appkey="${key.appKey}"`, `algorithm="${key.algorithm}"`, `headers="${[...lines.keys()].join(' ')}"`];
  set.push(['Authorization', `hmac ${parts.join(', ')}, signature="${signature}"`]);
  return { headers: set, signed };
}
