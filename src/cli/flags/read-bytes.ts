import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

const STANDARD_INPUT = 0;
const PIECE_BYTES = 64 * 1024;
/** Of what a command reads, unless it says otherwise. */
export const MAX_INPUT_BYTES = 1024 * 1024;

/** Opens without waiting for the other end of a FIFO, and without making a terminal ours; Windows has neither. */
const { O_RDONLY, O_NONBLOCK, O_NOCTTY } = constants as Partial<typeof constants>;
const OPEN_FLAGS = (O_RDONLY ?? 0) | (O_NONBLOCK ?? 0) | (O_NOCTTY ?? 0);

/**
 * The bytes of a regular file, `-` for standard input; or why they cannot be had, such as `ENOENT`. Devices, FIFOs and
 * folders, and what has more than `maxBytes`, are not read.
 */
export function readBytes(path: string, maxBytes = MAX_INPUT_BYTES): Buffer | string {
  try {
    if (path === '-') return readBounded(STANDARD_INPUT, maxBytes);
    const file = openSync(path, OPEN_FLAGS);
    try {
      return fstatSync(file).isFile() ? readBounded(file, maxBytes) : 'it is no regular file; - reads standard input';
    } finally {
      closeSync(file);
    }
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
  }
}

function readBounded(file: number, maxBytes: number): Buffer | string {
  const pieces: Buffer[] = [];
  for (let total = 0; total <= maxBytes; ) {
    const piece = Buffer.allocUnsafe(PIECE_BYTES);
    const length = readSync(file, piece);
    if (length === 0) return Buffer.concat(pieces);
    pieces.push(piece.subarray(0, length));
    total += length;
  }
  return `it has more than ${String(maxBytes)} bytes`;
}
