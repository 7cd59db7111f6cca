import { createHash } from 'node:crypto';
import { bodyVariants } from '../../explanation/body-variants.ts';
import type { Mistake } from '../../explanation/explainer.ts';

const FIX =
  'Send Digest: SHA-256= and the base64 of the 32 bytes of the SHA-256 of the body, as sha256 -binary and base64 give it';
const BODY_FIX = 'Take the digest of the very bytes that are sent, after everything that writes or changes them';

interface DigestSpelling {
  readonly text: string;
  /** Null for the right one. */
  readonly mistake: Mistake | null;
}

/** The digest of a body, in every way in which callers write it; the right one first. */
export function digestSpellings(body: Buffer): readonly DigestSpelling[] {
  const sha256 = createHash('sha256').update(body).digest();
  const base64 = sha256.toString('base64');
  const hex = sha256.toString('hex');
  const spelling = (name: string, what: string, text: string): DigestSpelling => ({
    text,
    mistake: { name, what, fix: FIX },
  });
  const algorithms = ['sha512', 'sha384', 'sha1', 'md5'].flatMap((algorithm) => {
    const hash = createHash(algorithm).update(body).digest();
    const label = { sha512: 'SHA-512', sha384: 'SHA-384', sha1: 'SHA-1', md5: 'MD5' }[algorithm] ?? '';
    const prefixes = [`${label}=`, `${label.toLowerCase()}=`, 'SHA-256=', label === 'SHA-1' ? 'SHA=' : ''];
    return prefixes.flatMap((prefix) =>
      (['base64', 'hex'] as const).map((encoding) =>
        spelling('digest-algorithm', `the Digest is a ${label}, not a SHA-256`, prefix + hash.toString(encoding)),
      ),
    );
  });
  return [
    { text: `SHA-256=${base64}`, mistake: null },
    ...['SHA-256=', 'sha-256=', ''].flatMap((prefix) =>
      [hex, hex.toUpperCase()].map((digits) => spelling('digest-hex', 'the Digest is written in hex', prefix + digits)),
    ),
    ...['SHA-256=', ''].map((prefix) =>
      spelling(
        'digest-base64-of-hex',
        'the Digest is the base64 of the hex digits, not of the bytes',
        prefix + Buffer.from(hex, 'latin1').toString('base64'),
      ),
    ),
    ...['=', ''].map((padding) =>
      spelling(
        'digest-url-safe',
        'the Digest is in URL-safe base64',
        `SHA-256=${sha256.toString('base64url')}${padding}`,
      ),
    ),
    spelling('digest-not-padded', 'the Digest lacks the = that pads base64', `SHA-256=${base64.replace(/=+$/, '')}`),
    ...['sha-256=', 'SHA256=', 'sha256=', 'SHA-256:', 'SHA-256 ', 'sha-256:', ''].map((prefix) =>
      spelling('digest-prefix', 'the Digest does not begin with SHA-256= in just these letters', prefix + base64),
    ),
    ...['sha-256=', 'SHA-256='].map((prefix) =>
      spelling('digest-prefix', 'the Digest is written as Content-Digest is (RFC 9530)', `${prefix}:${base64}:`),
    ),
    ...algorithms,
  ];
}

/** What is wrong with a `Digest` header: its form, the body it is of, or both; none when it is right. */
export function findDigestMistakes(claimed: string, body: Buffer): readonly Mistake[] {
  const own = digestSpellings(body).find(({ text }) => text === claimed);
  if (own !== undefined) return own.mistake === null ? [] : [own.mistake];
  for (const { name, what, bytes } of bodyVariants(body)) {
    const found = digestSpellings(bytes).find(({ text }) => text === claimed);
    if (found === undefined) continue;
    const other: Mistake = {
      name: `digest-of-${name}`,
      what: `the Digest is that of the body ${what}, which is not what was sent`,
      fix: BODY_FIX,
    };
    return found.mistake === null ? [other] : [found.mistake, other];
  }
  return [
    { name: 'digest-of-another-body', what: 'the Digest is that of another body than the one sent', fix: BODY_FIX },
  ];
}
