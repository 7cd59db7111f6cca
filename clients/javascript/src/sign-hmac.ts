import { MAX_BODY_BYTES, tooLarge } from './body-form.ts';
import { base64, utf8 } from './bytes.ts';
import { hash, hmac, type HashName } from './hash.ts';
import { isToken, valuesOf, withHeaders, type Header } from './headers.ts';
import { PosternProblem } from './problem.ts';
import type { HmacAlgorithm } from './settings.ts';
import type { Moment, Signature } from './signature.ts';
import { authorityOf, type WireRequest } from './wire-request.ts';

const HASHES: Readonly<Record<HmacAlgorithm, HashName>> = {
  'hmac-sha256': 'SHA-256',
  'hmac-sha384': 'SHA-384',
  'hmac-sha512': 'SHA-512',
};
const REQUEST_LINE = 'request-line';
const NEVER_SIGNED = ['authorization', 'connection', 'keep-alive', 'te', 'transfer-encoding', 'x-request-id'];
const NEVER_SIGNED_PREFIXES = ['x-forwarded-', 'x-envoy-'];
const IDENTITY = /^x-(?:consumer-|credential-|authenticated-|anonymous-consumer$)/;
const SIGNABLE_VALUE = /^[\t\x20-\x7e]*$/;

/** What an hmac client signs with. */
export interface HmacKey {
  readonly appKey: string;
  readonly appSecret: string;
  readonly algorithm: HmacAlgorithm;
  /** More headers to sign, in any case. */
  readonly signedHeaders: readonly string[];
}

/**
 * Sets `Date`, with a body `Digest`, with a nonce `X-Nonce`, and `Authorization`.
 * Refuses with `BODY_TOO_LARGE` and `HEADER_NOT_SIGNABLE`.
 */
export async function signHmac(request: WireRequest, key: HmacKey, moment: Moment): Promise<Signature> {
  if (request.body.length > MAX_BODY_BYTES) throw tooLarge(MAX_BODY_BYTES);
  for (const name of key.signedHeaders) checkName(name.toLowerCase());
  const set: Header[] = [['Date', new Date(moment.seconds * 1000).toUTCString()]];
  const names = new Set(['date', REQUEST_LINE]);
  if (request.body.length > 0) {
    set.push(['Digest', `SHA-256=${base64(await hash('SHA-256', request.body))}`]);
    names.add('digest');
  }
  for (const name of key.signedHeaders) names.add(name.toLowerCase());
  if (moment.nonce !== null) {
    set.push(['X-Nonce', moment.nonce()]);
    names.add('x-nonce');
  }
  const headers = withHeaders(request.headers, set);
  const signedBytes = utf8([...names].map((name) => lineOf(name, request, headers)).join('\n'));
  const signature = base64(await hmac(HASHES[key.algorithm], utf8(key.appSecret), signedBytes));
  set.push(['Authorization', authorization({ ...key, names: [...names], signature })]);
  return { headers: set, signedBytes };
}

function authorization(
  of: Omit<HmacKey, 'appSecret' | 'signedHeaders'> & { names: string[]; signature: string },
): string {
  const { appKey, algorithm, names, signature } = of;
  return `hmac appkey="${appKey}", algorithm="${algorithm}", headers="${names.join(' ')}", signature="${signature}"`;
}

function lineOf(name: string, { method, origin, target }: WireRequest, headers: readonly Header[]): string {
  if (name === REQUEST_LINE) return `${method} ${target} HTTP/1.1`;
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
