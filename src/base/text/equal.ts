import { timingSafeEqual } from 'node:crypto';

/**
 * Compares MACs, digests and other secrets in constant time (spec §3).
 * Only the length of the two, which every algorithm publishes, shows in the time it takes.
 */
export function equal(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}
