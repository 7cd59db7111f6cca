import { characterLength, visible } from '../../check/methods/explanation/text-encoding.ts';

/** Where two strings to sign differ first. */
export interface Difference {
  /** Of the first byte that differs, from 0. */
  readonly offset: number;
  /** Its line, and its byte within that line, from 1. */
  readonly line: number;
  readonly column: number;
  /** The surroundings in what the gateway builds and in what was signed, in visible form. */
  readonly expected: string;
  readonly signed: string;
  /** How many characters of both stand before the difference. */
  readonly markAt: number;
  /** The byte itself in hex, such as `0x3f`; null where the text has ended. */
  readonly expectedByte: string | null;
  readonly signedByte: string | null;
}

const SHOWN_BEFORE_BYTES = 40;
const SHOWN_AFTER_BYTES = 36;
const LINE_FEED = 0x0a;

/** Finds the first byte that differs; null when the texts are the same. */
export function findDifference(expected: Buffer, signed: Buffer): Difference | null {
  const common = Math.min(expected.length, signed.length);
  let offset = 0;
  while (offset < common && expected[offset] === signed[offset]) offset += 1;
  if (offset === common && expected.length === signed.length) return null;
  const lineStart = offset === 0 ? 0 : expected.lastIndexOf(LINE_FEED, offset - 1) + 1;
  const shownFrom = characterStart(expected, Math.max(lineStart, offset - SHOWN_BEFORE_BYTES));
  // A character is shown whole, also when its first bytes are the same.
  const shownAt = characterStart(expected, offset);
  const before = `${shownFrom > lineStart ? '…' : ''}${visible(expected.subarray(shownFrom, shownAt))}`;
  return {
    offset,
    line: countLineFeeds(expected, lineStart) + 1,
    column: offset - lineStart + 1,
    expected: before + shownAfter(expected, shownAt),
    signed: before + shownAfter(signed, shownAt),
    markAt: Array.from(before).length,
    expectedByte: hexOf(expected[offset]),
    signedByte: hexOf(signed[offset]),
  };
}

/** The rest of the line: a difference is often where one text has a line feed and the other has not. */
function shownAfter(bytes: Buffer, from: number): string {
  if (from >= bytes.length) return '';
  const lineFeed = bytes.indexOf(LINE_FEED, from);
  const lineEnd = lineFeed === -1 ? bytes.length : lineFeed + 1;
  let end = from;
  while (end < Math.min(lineEnd, from + SHOWN_AFTER_BYTES)) end += characterLength(bytes, end);
  return `${visible(bytes.subarray(from, end))}${end < lineEnd ? '…' : ''}`;
}

/** The first byte of the UTF-8 character that holds this one. */
function characterStart(bytes: Buffer, at: number): number {
  for (let start = Math.max(at - 3, 0); start < at; start += 1) {
    if (start + characterLength(bytes, start) > at) return start;
  }
  return at;
}

function countLineFeeds(bytes: Buffer, end: number): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at !== -1 && at < end; at = bytes.indexOf(LINE_FEED, at + 1)) count += 1;
  return count;
}

function hexOf(byte: number | undefined): string | null {
  return byte === undefined ? null : `0x${byte.toString(16).padStart(2, '0')}`;
}
