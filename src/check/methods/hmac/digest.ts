import { createHash, hash as oneHash } from 'node:crypto';
import { type Refusal, refuse } from '../../refusal.ts';
import { equal } from '../../../base/text/equal.ts';
import { PIECE_BYTES, runAtOnce, updateInPieces, type Work } from '../../../base/text/work.ts';

const DIGEST_PREFIX = 'SHA-256=';

/** The `Digest` header of a body: the prefix and the base64 of the SHA-256 of its bytes (spec §3.2). */
export function digestOf(body: Uint8Array): string {
  return runAtOnce(digesting(body));
}

/**
 * Checks a `Digest` header against the body as received, before any decompression. Null when it is right.
 * There is one right text; another form (hex, SHA-512, other base64) is `DIGEST_MISMATCH` too (spec §3).
 *
 * @param value the header's bytes as latin1 text
 */
export function* checkDigest(value: string, body: Uint8Array): Work<Refusal | null> {
  const right = yield* digesting(body);
  if (equal(Buffer.from(value, 'latin1'), Buffer.from(right, 'latin1'))) return null;
  return refuse(
    'DIGEST_MISMATCH',
    `the Digest header is not SHA-256= and the hash of the ${String(body.length)} bytes received`,
  );
}

function* digesting(body: Uint8Array): Work<string> {
  if (body.length <= PIECE_BYTES) return DIGEST_PREFIX + oneHash('sha256', body, 'base64');
  const hash = createHash('sha256');
  yield* updateInPieces(hash, [body]);
  return DIGEST_PREFIX + hash.digest('base64');
}
