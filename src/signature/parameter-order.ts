import type { Span } from './parameters.ts';

/** Compared byte by byte here; longer equal beginnings are left to the native comparison, which costs more to call. */
const SHORT_BYTES = 32;

/**
 * Sorts parameters by name in ascending order of their bytes (spec §3.3). Equal names keep their order on the wire or,
 * with `byValue`, are sorted by value, as some existing clients do.
 */
export function sortByName(bytes: Buffer, spans: readonly Span[], byValue: boolean): Span[] {
  return [...spans].sort((left, right) => {
    const order = compareBytes(bytes, left.start, left.nameEnd, right.start, right.nameEnd);
    if (order !== 0 || !byValue) return order;
    return compareBytes(bytes, valueStart(left), left.end, valueStart(right), right.end);
  });
}

/** Where the value of a parameter begins; its end when it has none. */
export function valueStart(span: Span): number {
  return Math.min(span.nameEnd + 1, span.end);
}

function compareBytes(bytes: Buffer, leftStart: number, leftEnd: number, rightStart: number, rightEnd: number): number {
  const length = Math.min(leftEnd - leftStart, rightEnd - rightStart);
  const shortLength = Math.min(length, SHORT_BYTES);
  for (let index = 0; index < shortLength; index += 1) {
    const difference = (bytes[leftStart + index] ?? 0) - (bytes[rightStart + index] ?? 0);
    if (difference !== 0) return difference;
  }
  if (length > SHORT_BYTES) {
    const order = bytes.compare(bytes, rightStart + SHORT_BYTES, rightEnd, leftStart + SHORT_BYTES, leftEnd);
    if (order !== 0) return order;
  }
  return leftEnd - leftStart - (rightEnd - rightStart);
}
