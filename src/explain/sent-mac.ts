import { decodeEscapes } from './text-encoding.ts';
import type { Mistake } from './explanation.ts';

/** A way to read the signature that was sent, and what is wrong with writing it so; null when nothing is. */
export interface SentMac {
  readonly bytes: Buffer;
  readonly mistake: Mistake | null;
}

interface Spelling extends Mistake {
  readonly read: (text: string) => Buffer | null;
}

const HEX = /^(?:[0-9a-f]{2})+$/i;
const RIGHT_FIX = {
  hmac: 'Send the base64 of the bytes of the HMAC, padded, with + and /',
  sign: 'Send the bytes of the SHA-512 as 128 lower-case hexadecimal digits',
};

function ofHex(text: string): Buffer | null {
  return HEX.test(text) ? Buffer.from(text, 'hex') : null;
}

function ofBase64(text: string): Buffer | null {
  return /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : null;
}

const hmacSpellings: readonly Spelling[] = [
  { name: 'signature-hex', what: 'the signature is written in hex', fix: RIGHT_FIX.hmac, read: ofHex },
  {
    name: 'signature-url-safe',
    what: 'the signature is in URL-safe base64',
    fix: RIGHT_FIX.hmac,
    read: (text) => (/^[\w-]+={0,2}$/.test(text) && /[-_]/.test(text) ? Buffer.from(text, 'base64url') : null),
  },
  {
    name: 'signature-base64-of-hex',
    what: 'the signature is the base64 of the hex digits, not of the bytes',
    fix: RIGHT_FIX.hmac,
    read: (text) => ofHex(Buffer.from(text, 'base64').toString('latin1')),
  },
  {
    name: 'signature-not-padded',
    what: 'the signature lacks the = that pads base64',
    fix: RIGHT_FIX.hmac,
    read: (text) => (text.endsWith('=') ? null : ofBase64(text)),
  },
  {
    name: 'signature-percent-encoded',
    what: 'the signature is percent-encoded',
    fix: 'Put the signature into the header as it is; only URLs are percent-encoded',
    read: (text) => (text.includes('%') ? ofBase64(decodeEscapes(text)) : null),
  },
  {
    name: 'signature-white-space',
    what: 'the signature has white space or line ends in it',
    fix: 'Switch off the line breaks of your base64 encoder (base64 -w0), and take off what is left',
    read: (text) => (/\s|\\n/.test(text) ? ofBase64(text.replace(/\s|\\n|\\r/g, '')) : null),
  },
];

const signSpellings: readonly Spelling[] = [
  {
    name: 'sign-upper-case',
    what: 'sign is written with upper-case hexadecimal digits',
    fix: RIGHT_FIX.sign,
    read: (text) => (/[A-F]/.test(text) ? ofHex(text) : null),
  },
  {
    name: 'sign-white-space',
    what: 'sign has white space around it',
    fix: RIGHT_FIX.sign,
    read: (text) => (text.trim() === text ? null : ofHex(text.trim())),
  },
  {
    name: 'sign-length',
    what: 'sign does not have 128 digits',
    fix: RIGHT_FIX.sign,
    read: (text) => (text.length === 128 ? null : ofHex(text)),
  },
  {
    name: 'sign-hex-prefix',
    what: 'sign begins with 0x',
    fix: RIGHT_FIX.sign,
    read: (text) => (text.startsWith('0x') ? ofHex(text.slice(2)) : null),
  },
  {
    name: 'sign-base64-of-hex',
    what: 'sign is the base64 of the hex digits',
    fix: RIGHT_FIX.sign,
    read: (text) => ofHex(Buffer.from(text, 'base64').toString('latin1')),
  },
  {
    name: 'sign-base64',
    what: 'sign is written in base64',
    fix: RIGHT_FIX.sign,
    // A "+" that was not percent-encoded arrives as a blank.
    read: (text) =>
      HEX.test(text) ? null : /^[\w\-+/ ]+={0,2}$/.test(text) ? Buffer.from(text.replaceAll(' ', '+'), 'base64') : null,
  },
];

/** Every way to read the `signature` of an `Authorization` header. */
export function readSentHmac(text: string): readonly SentMac[] {
  const canonical = Buffer.from(text, 'base64');
  const isCanonical = canonical.toString('base64') === text;
  return [...(isCanonical ? [{ bytes: canonical, mistake: null }] : []), ...readSpellings(text, hmacSpellings)];
}

/** Every way to read a `sign`. */
export function readSentSign(text: string): readonly SentMac[] {
  const right = /^[0-9a-f]{128}$/.test(text) ? [{ bytes: Buffer.from(text, 'hex'), mistake: null }] : [];
  return [...right, ...readSpellings(text, signSpellings)];
}

function readSpellings(text: string, spellings: readonly Spelling[]): readonly SentMac[] {
  return spellings.flatMap(({ read, name, what, fix }) => {
    const bytes = read(text);
    return bytes === null || bytes.length === 0 ? [] : [{ bytes, mistake: { name, what, fix } }];
  });
}
