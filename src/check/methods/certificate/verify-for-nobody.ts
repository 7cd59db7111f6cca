import { X509Certificate } from 'node:crypto';
import { dummyKey } from '../../../model/public-key/dummy-key.ts';
import { elementsIn } from '../../../model/public-key/der.ts';
import type { PublicKey } from '../../../model/public-key/public-key.ts';

/** How the algorithms of signatures begin (RFC 8017 §A.2, RFC 5758 §3.2, RFC 8410 §3). */
const RSA = Buffer.from('2a864886f70d0101', 'hex');
const ECDSA = Buffer.from('2a8648ce3d04', 'hex');
const ED25519 = Buffer.from('2b6570', 'hex');
/** Bytes of an ECDSA signature in DER at most: two numbers of 32 bytes. Those of larger curves are longer. */
const MAX_P256_BYTES = 72;

/**
 * Verifies the signature of a certificate with a key of its kind that nobody has. The result does not count: it takes
 * as long as where a partner's authority is asked, so that the time does not tell whether a name is known (spec §3.7).
 */
export function verifyForNobody(der: Buffer): void {
  const key = keyFor(der);
  if (key === null) return;
  try {
    new X509Certificate(der).verify(key.object);
  } catch {
    // A signature that cannot be verified at all: nothing hangs on it.
  }
}

/** Null where no authority that counts signs like that. */
function keyFor(der: Buffer): PublicKey | null {
  const parts = elementsIn(elementsIn(der)?.[0]?.content ?? Buffer.alloc(0));
  const algorithm = elementsIn(parts?.[1]?.content ?? Buffer.alloc(0))?.[0]?.content ?? Buffer.alloc(0);
  // A bit string: its first byte says that no bits of the last one are left over.
  const bytes = (parts?.[2]?.content.length ?? 1) - 1;
  if (algorithm.subarray(0, RSA.length).equals(RSA)) return dummyKey('rsa', bytes);
  if (algorithm.equals(ED25519)) return dummyKey('ed25519', 64);
  if (!algorithm.subarray(0, ECDSA.length).equals(ECDSA)) return null;
  return bytes <= MAX_P256_BYTES ? dummyKey('p-256', 64) : dummyKey('p-384', 96);
}
