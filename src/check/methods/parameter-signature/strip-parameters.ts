import { formDecodeInto } from '../../../base/text/form-decoding.ts';
import { RESERVED_NAMES } from './parameters.ts';

const AMPERSAND = 0x26;
const EQUALS = 0x3d;
/** A byte takes at most three characters (`%XX`) in a name. */
const ENCODED_BYTES = 3;
const SHORTEST_NAME_BYTES = Math.min(...RESERVED_NAMES.map((name) => name.length));
const LONGEST_NAME_BYTES = ENCODED_BYTES * Math.max(...RESERVED_NAMES.map((name) => name.length));

/**
 * Takes `appKey`, `sign` and `apiTimestamp`, recognised after decoding, out of a query or form body (spec §3.3,
 * `hideCredentials`): the text is split at `&`, they are dropped, the rest is joined again. All other bytes stay.
 * Gives the text itself when there is nothing to take out. Meant for text that `parseParameters` took.
 */
export function stripReservedParameters(bytes: Buffer): Buffer {
  const kept: Buffer[] = [];
  let keptFrom = 0;
  let start = 0;
  let isLastDropped = false;
  while (start < bytes.length) {
    while (bytes[start] === AMPERSAND) start += 1;
    const next = bytes.indexOf(AMPERSAND, start);
    const end = next === -1 ? bytes.length : next;
    if (isReserved(bytes, start, end)) {
      if (start > keptFrom) kept.push(bytes.subarray(keptFrom, start));
      keptFrom = Math.min(end + 1, bytes.length);
      isLastDropped = end === bytes.length;
    }
    start = end + 1;
  }
  if (keptFrom === 0) return bytes;
  kept.push(bytes.subarray(keptFrom));
  const stripped = Buffer.concat(kept);
  // What was last is gone, and with it the "&" before it, when something is left for that to follow.
  return isLastDropped ? stripped.subarray(0, Math.max(stripped.length - 1, 0)) : stripped;
}

function isReserved(bytes: Buffer, start: number, end: number): boolean {
  if (end - start < SHORTEST_NAME_BYTES) return false;
  const equals = bytes.subarray(start, Math.min(end, start + LONGEST_NAME_BYTES + 1)).indexOf(EQUALS);
  const nameEnd = equals === -1 ? end : start + equals;
  if (nameEnd - start > LONGEST_NAME_BYTES) return false;
  const name = Buffer.allocUnsafe(LONGEST_NAME_BYTES);
  const length = formDecodeInto(name, 0, bytes, start, nameEnd);
  if (length === -1) return false;
  const text = name.toString('latin1', 0, length);
  return RESERVED_NAMES.some((reserved) => reserved === text);
}
