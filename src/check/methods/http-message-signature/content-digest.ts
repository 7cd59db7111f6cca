import { createHash, hash as oneHash } from 'node:crypto';
import { parseDictionary } from '../../../base/structured-fields/parse-field.ts';
import { isInnerList } from '../../../base/structured-fields/values.ts';
import { writeBytes } from '../../../base/structured-fields/write-field.ts';
import { equal } from '../../../base/text/equal.ts';
import { PIECE_BYTES, runAtOnce, updateInPieces, type Work } from '../../../base/text/work.ts';
import { type Refusal, refuse } from '../../refusal.ts';

/** The digests that are known, by their names in `Content-Digest` (RFC 9530), and what `node:crypto` calls each. */
const hashes = { 'sha-256': 'sha256', 'sha-512': 'sha512' } as const;
type DigestName = keyof typeof hashes;
const names = Object.keys(hashes) as readonly DigestName[];

/** The digests of a body that a request names and the gateway knows: one at least. */
export type ContentDigests = ReadonlyMap<DigestName, Buffer>;

/**
 * Reads a `Content-Digest` (RFC 9530 §2), its lines joined by `, `. Refuses with `CREDENTIALS_MALFORMED` one that is
 * empty, does not parse, has a key twice, or has neither `sha-256` nor `sha-512`. Others are ignored beside those.
 */
export function readContentDigest(text: string): ContentDigests | Refusal {
  const members = parseDictionary(text);
  if ('fault' in members) return refuse('CREDENTIALS_MALFORMED', `Content-Digest ${members.fault}`);
  const digests = new Map<DigestName, Buffer>();
  for (const name of names) {
    const member = members.get(name);
    if (member === undefined) continue;
    const { value } = member;
    if (isInnerList(value) || value.bare.type !== 'bytes') {
      return refuse('CREDENTIALS_MALFORMED', `Content-Digest has a ${name} that is no bytes in base64 between colons`);
    }
    digests.set(name, value.bare.value);
  }
  if (digests.size > 0) return digests;
  return refuse('CREDENTIALS_MALFORMED', 'Content-Digest has neither sha-256 nor sha-512');
}

/** Checks each digest against the body as received, before any decompression. Null when all are right. */
export function* checkContentDigest(digests: ContentDigests, body: Uint8Array): Work<Refusal | null> {
  for (const [name, digest] of digests) {
    const right = yield* digesting(hashes[name], body);
    if (!equal(digest, right)) {
      return refuse(
        'DIGEST_MISMATCH',
        `the ${name} of Content-Digest is not that of the ${String(body.length)} bytes received`,
      );
    }
  }
  return null;
}

/** The `Content-Digest` of a body, with one digest. */
export function contentDigestOf(body: Uint8Array, name: DigestName = 'sha-256'): string {
  return `${name}=${writeBytes(runAtOnce(digesting(hashes[name], body)))}`;
}

function* digesting(name: string, body: Uint8Array): Work<Buffer> {
  if (body.length <= PIECE_BYTES) return oneHash(name, body, 'buffer');
  const hash = createHash(name);
  yield* updateInPieces(hash, [body]);
  return hash.digest();
}
