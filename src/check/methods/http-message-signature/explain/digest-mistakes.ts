import { hash } from 'node:crypto';
import { isRefusal } from '../../../refusal.ts';
import { bodyVariants } from '../../explanation/body-variants.ts';
import type { Mistake } from '../../explanation/explainer.ts';
import { contentDigestOf, readContentDigest } from '../content-digest.ts';

const FIX =
  'Send Content-Digest: sha-256=:…: with the base64 of the 32 bytes of the SHA-256 of the body between the colons';
const BODY_FIX = 'Take the digest of the very bytes that are sent, after everything that writes or changes them';
const names = ['sha-256', 'sha-512'] as const;

/** Wrong ways to write the digest of a body. */
function misspellings(body: Buffer): readonly (Pick<Mistake, 'name' | 'what'> & { readonly text: string })[] {
  return names.flatMap((name) => {
    const bytes = hash(name.replace('-', ''), body, 'buffer');
    const [base64, hex] = [bytes.toString('base64'), bytes.toString('hex')];
    const upper = name.toUpperCase();
    return [
      ...[`:${hex}:`, hex, `"${hex}"`, `:${Buffer.from(hex).toString('base64')}:`].map((value) => ({
        name: 'digest-hex',
        what: 'the Content-Digest is written in hex',
        text: `${name}=${value}`,
      })),
      ...[base64, `"${base64}"`, bytes.toString('base64url'), `:${bytes.toString('base64url')}:`].map((value) => ({
        name: 'digest-colons',
        what: 'the Content-Digest is not base64 between two colons',
        text: `${name}=${value}`,
      })),
      ...[`${upper}=:${base64}:`, `${upper}=${base64}`, `${name.replace('-', '')}=:${base64}:`].map((text) => ({
        name: 'digest-name',
        what: `the Content-Digest does not begin with ${name}=`,
        text,
      })),
    ];
  });
}

/** What is wrong with a `Content-Digest`: its form, or the body it is of; none when it is right. */
export function findDigestMistakes(sent: string, body: Buffer): readonly Mistake[] {
  const bodies = [{ name: '', what: '', bytes: body }, ...bodyVariants(body)];
  const read = readContentDigest(sent);
  for (const { name, what, bytes } of bodies) {
    const other: readonly Mistake[] =
      name === ''
        ? []
        : [
            {
              name: `digest-of-${name}`,
              what: `the Content-Digest is that of the body ${what}, which is not what was sent`,
              fix: BODY_FIX,
            },
          ];
    if (!isRefusal(read) && isDigestOf(read, bytes)) return other;
    const misspelt = misspellings(bytes).find(({ text }) => text === sent);
    if (misspelt !== undefined) return [{ name: misspelt.name, what: misspelt.what, fix: FIX }, ...other];
  }
  if (isRefusal(read)) return [{ name: 'content-digest-form', what: read.detail, fix: FIX }];
  return [
    {
      name: 'body-changed',
      what: 'the Content-Digest is that of another body: the body changed after it was digested',
      fix: BODY_FIX,
    },
  ];
}

function isDigestOf(
  digests: Exclude<ReturnType<typeof readContentDigest>, { readonly refused: unknown }>,
  body: Buffer,
): boolean {
  return [...digests].every(
    ([name, digest]) => contentDigestOf(body, name) === `${name}=:${digest.toString('base64')}:`,
  );
}
