import { MAX_BODY_BYTES, tooLarge } from './body-form.ts';
import { hash, hmac, type HashName } from './hash.ts';
import { isToken, valuesOf, type Header } from './headers.ts';
import { PosternProblem } from './problem.ts';
import type { HmacAlgorithm } from './settings.ts';
import type { Moment, Signature } from './signature.ts';
import { authorityOf, type WireRequest } from './wire-request.ts';

const HASHES: Readonly<Record<HmacAlgorithm, HashName>> = {
  'hmac-sha256': 'SHA-256',
  'hmac-sha384': 'SHA-384',
  'hmac-sha512': 'SHA-512',
};
const NEVER_SIGNED = ['authorization', 'connection', 'keep-alive', 'te', 'transfer-encoding', 'x-request-id'];
const NEVER_SIGNED_PREFIXES = ['x-forwarded-', 'x-envoy-'];
const IDENTITY = /^x-(?:consumer-|credential-|authenticated-|anonymous-consumer$)/;
const SIGNABLE_VALUE = /^[\t\x20-\x7e]*$/;

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
  const { method, target, headers, body } = request;
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
    else if (!lines.has(name)) lines.set(name, lineOf(name, request.origin, headers));
  }
  if (nonce !== null) lines.set('x-nonce', `x-nonce: ${nonce}`);
  const signed = Array.from(lines.values()).join('\n');
  const signature = await hmac(HASHES[key.algorithm], key.appSecret, signed, 'base64');
  const parts = [`appkey="${key.appKey}"`, `algorithm="${key.algorithm}"`, `headers="${[...lines.keys()].join(' ')}"`];
  set.push(['Authorization', `hmac ${parts.join(', ')}, signature="${signature}"`]);
  return { headers: set, signed };
}

function lineOf(name: string, origin: string, headers: readonly Header[]): string {
  const values = valuesOf(headers, name);
  // A Host header that was given is what the library sends instead of the URL's.
  const value = values[0] ?? (name === 'host' ? authorityOf(origin) : undefined);
  if (value === undefined) throw notSignable(name, 'is to be signed and not in the request');
  if (values.length > 1) throw notSignable(name, 'is in the request more than once');
  if (!SIGNABLE_VALUE.test(value)) throw notSignable(name, 'has a value beyond visible ASCII');
  return `${name}: ${value}`;
}

function checkName(name: string): void {
  if (!isToken(name)) throw new PosternProblem('HEADER_NOT_SIGNABLE', 'a name in signedHeaders is no header name');
  const isNeverSigned =
    NEVER_SIGNED.includes(name) ||
    NEVER_SIGNED_PREFIXES.some((prefix) => name.startsWith(prefix)) ||
    IDENTITY.test(name.replaceAll('_', '-'));
  if (isNeverSigned) throw notSignable(name, 'is one that the gateway takes no signature over');
}

function notSignable(name: string, why: string): PosternProblem {
  return new PosternProblem('HEADER_NOT_SIGNABLE', `the header ${name} ${why}`);
}
