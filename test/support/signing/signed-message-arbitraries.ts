import fc from 'fast-check';

import { Secret } from '../../../src/model/secret.ts';
import { isRefusal } from '../../../src/check/refusal.ts';
import { type ClientRequest } from '../../../src/check/signing/client-request.ts';
import { signHmac } from '../../../src/check/methods/hmac/sign.ts';
import { signParameters } from '../../../src/check/methods/parameter-signature/sign.ts';
import { type CheckOptions, defaultOptions, emptyMessage, type SignedMessage } from './signed-message.ts';

/** What every generated request is signed with, and when. */
export const APP_KEY = 'partner-7f3a';
export const SECRETS = ['the-secret-of-the-partner', 'the-former-secret-of-it'] as const;
export const NOW = 1_709_210_096;
/** A time just outside the window. */
export const EXPIRED = NOW + 301;

const secret = Secret.fromText(SECRETS[0]);
const FORM = 'application/x-www-form-urlencoded';

/** Any byte, as a character of latin1 text. */
export const anyByte = fc.integer({ min: 0, max: 0xff }).map((byte) => String.fromCharCode(byte));

/** Any character that UTF-8 can hold, small ones more often. */
export const anyCharacter = fc
  .oneof(
    fc.integer({ min: 0, max: 0x7f }),
    fc.integer({ min: 0x80, max: 0xd7ff }),
    fc.integer({ min: 0xe000, max: 0x10ffff }),
  )
  .map((codePoint) => String.fromCodePoint(codePoint));

const segment = fc.string({
  unit: fc.constantFrom(...Array.from('abcXYZ019-._~%2F%20'.replaceAll('%', ''))),
  maxLength: 6,
});
const encoded = fc.constantFrom('%20', '+', '%2B', '%C3%A9', '%e5%bc%a0', '%26', '%3D', '%25', '%00', '%7e');
const word = fc
  .array(fc.oneof({ weight: 3, arbitrary: segment }, encoded), { maxLength: 3 })
  .map((parts) => parts.join(''));
const pair = fc
  .tuple(word, fc.constantFrom('=', '=', '=', ''), word)
  .map(([name, equals, value]) => (equals === '' ? name : `${name}=${value}`));

/** The parameters of a query or form: often well formed and unambiguous, never with reserved names. */
export const parameterList = fc.array(pair, { maxLength: 6 }).map((pairs) => pairs.join('&'));

const headerValue = fc
  .string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((byte) => String.fromCharCode(byte)), maxLength: 12 })
  .map((text) => text.replace('\x7f', '').trim());

/** A request to an hmac endpoint as a caller would sign it, with the names of the headers to be signed besides. */
export const unsignedHmac: fc.Arbitrary<{ request: SignedMessage; alsoSigned: string[] }> = fc
  .record({
    method: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'get'),
    path: fc
      .tuple(word, fc.option(parameterList, { nil: null }))
      .map(([path, query]) => `/${path}${query === null ? '' : `?${query}`}`),
    values: fc.dictionary(
      fc.constantFrom('x-a', 'x-b', 'accept'),
      fc.array(headerValue, { minLength: 1, maxLength: 2 }),
    ),
    body: fc.oneof(fc.constant(new Uint8Array()), fc.uint8Array({ maxLength: 20 })),
    signsHost: fc.boolean(),
  })
  .map(({ method, path, values, body, signsHost }) => ({
    request: {
      ...emptyMessage,
      method,
      path,
      headers: Object.entries(values).flatMap(([name, list]) => list.map((value) => [name, value] as const)),
      body: Buffer.from(body),
    },
    alsoSigned: [...Object.keys(values), ...(signsHost ? ['host'] : [])],
  }));

/** A request that is rightly signed by hmac. */
export const signedHmac: fc.Arbitrary<SignedMessage> = unsignedHmac.map(({ request, alsoSigned }) => {
  const signed = signHmac(request, { appKey: APP_KEY, secret, algorithm: 'hmac-sha256', alsoSigned, nowSeconds: NOW });
  if (isRefusal(signed)) throw new Error(signed.detail);
  return { ...request, ...signed };
});

/** The options that decide how parameters are read. */
export const readingOptions: fc.Arbitrary<CheckOptions> = fc
  .record({
    parameterEncoding: fc.constantFrom('decoded', 'decoded', 'raw', 'auto'),
    strictParameters: fc.boolean(),
    requireTimestamp: fc.boolean(),
    unsignedQuery: fc.constantFrom('refuse', 'refuse', 'forward'),
    unsignedBody: fc.constantFrom('refuse', 'refuse', 'forward'),
  })
  .map((options) => ({ ...defaultOptions, ...options }));

/** A request in one of the three forms that is rightly signed over its parameters; null when it cannot be signed. */
export function signedParameters(options: CheckOptions): fc.Arbitrary<SignedMessage | null> {
  const unsigned: fc.Arbitrary<ClientRequest> = fc.oneof(
    parameterList.map((query) => ({ ...emptyMessage, path: query === '' ? '/p' : `/p?${query}` })),
    parameterList.map((body) => ({
      ...emptyMessage,
      headers: [['content-type', FORM]] as const,
      body: Buffer.from(body),
    })),
    fc.string({ unit: anyCharacter, maxLength: 12 }).map((data) => ({
      ...emptyMessage,
      headers: [['content-type', 'application/json']] as const,
      body: Buffer.from(data, 'utf8'),
    })),
  );
  return fc
    .tuple(unsigned, fc.option(fc.constantFrom(NOW, NOW - 300, EXPIRED), { nil: null }))
    .map(([request, timestampSeconds]) => {
      const signed = signParameters(request, { appKey: APP_KEY, secret, timestampSeconds, options });
      return isRefusal(signed) ? null : { ...emptyMessage, ...signed };
    });
}

/** One byte of a text put in, left out or replaced, somewhere. Text is one character a byte. */
export function changedText(text: string, at: number, kind: 'put' | 'cut' | 'set', piece: string): string {
  const index = text.length === 0 ? 0 : at % text.length;
  const end = kind === 'put' ? index : index + 1;
  return text.slice(0, index) + (kind === 'cut' ? '' : piece) + text.slice(end);
}

/** Where and how {@link changedText} changes; `pieces` are what is likely to matter. */
export function textChange(...pieces: string[]): fc.Arbitrary<(text: string) => string> {
  const piece = fc.oneof(fc.constantFrom(...pieces), anyByte);
  return fc.tuple(fc.nat(), fc.constantFrom('put', 'cut', 'set'), piece).map(
    ([at, kind, chosen]) =>
      (text) =>
        changedText(text, at, kind, chosen),
  );
}
