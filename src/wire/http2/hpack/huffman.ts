import { u8 } from '../octets.ts';

/**
 * Code lengths of the symbols 0 to 255 and of EOS (256), RFC 7541 Appendix B. The code is canonical, so the lengths
 * are the code: shorter codes come first, and among equals the smaller symbol.
 */
// biome-ignore format: sixteen to a row, as octets are read
const codeLengths: readonly number[] = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
  28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
  6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
  5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
  13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
  7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
  15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
  6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
  20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
  24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
  22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
  21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
  26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
  19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
  20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
  26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
  30,
];
const EOS = 256;
/** Padding is fewer than 8 bits, all ones (RFC 7541 §5.2). */
const MAX_PADDING_BITS = 7;

/**
 * A step of the decoder: four bits lead from one inner node of the code tree to another and pass at most one symbol,
 * the shortest code having five bits. Packed: `next << 10 | fails << 9 | emits << 8 | symbol`.
 */
const EMITS = 1 << 8;
const FAILS = 1 << 9;
const NEXT_SHIFT = 10;

interface Automaton {
  /** Indexed by `node << 4 | fourBits`. */
  readonly steps: Uint32Array;
  /** Nodes where a string may end: the root, and nodes that only ones lead to, at most seven. */
  readonly mayEnd: Uint8Array;
}

const automaton = buildAutomaton();

/**
 * Decodes Huffman-coded `bytes[start, end)` into `target`, which must have room for 8/5 of them.
 * @returns the number of octets written, or -1 when the coding is wrong (EOS inside, padding too long or not all ones;
 * RFC 7541 §5.2).
 */
export function decodeHuffman(bytes: Uint8Array, start: number, end: number, target: Uint8Array): number {
  const { steps, mayEnd } = automaton;
  let node = 0;
  let written = 0;
  for (let at = start; at < end; at++) {
    const octet = u8(bytes, at);
    const high = steps[(node << 4) | (octet >> 4)] ?? FAILS;
    if (high & EMITS) target[written++] = high & 0xff;
    const low = steps[((high >> NEXT_SHIFT) << 4) | (octet & 0xf)] ?? FAILS;
    if (low & EMITS) target[written++] = low & 0xff;
    if ((high | low) & FAILS) return -1;
    node = low >> NEXT_SHIFT;
  }
  return mayEnd[node] === 1 ? written : -1;
}

/** Octets that {@link decodeHuffman} may write at most. */
export function maxDecodedBytes(codedBytes: number): number {
  return Math.floor((codedBytes * 8) / 5);
}

/**
 * Inner nodes are numbers from 0 (the root); `children[2 * node + bit]` is an inner node, or `-1 - symbol` of a leaf.
 */
function buildTree(): number[] {
  const children = [0, 0];
  const symbols = codeLengths.map((length, symbol) => ({ length, symbol }));
  symbols.sort((a, b) => a.length - b.length || a.symbol - b.symbol);
  let code = 0;
  let codeLength = 0;
  for (const { length, symbol } of symbols) {
    code *= 2 ** (length - codeLength);
    codeLength = length;
    let node = 0;
    for (let bit = length - 1; bit > 0; bit--) {
      const slot = 2 * node + ((code >>> bit) & 1);
      if (children[slot] === 0) {
        children[slot] = children.length / 2;
        children.push(0, 0);
      }
      node = children[slot] ?? 0;
    }
    children[2 * node + (code & 1)] = -1 - symbol;
    code++;
  }
  return children;
}

function buildAutomaton(): Automaton {
  const children = buildTree();
  const nodes = children.length / 2;
  const steps = new Uint32Array(nodes << 4);
  for (let node = 0; node < nodes; node++) {
    for (let bits = 0; bits < 16; bits++) steps[(node << 4) | bits] = step(children, node, bits);
  }
  const mayEnd = new Uint8Array(nodes);
  for (let node = 0, bits = 0; bits <= MAX_PADDING_BITS; bits++) {
    mayEnd[node] = 1;
    node = children[2 * node + 1] ?? 0;
  }
  return { steps, mayEnd };
}

function step(children: readonly number[], from: number, bits: number): number {
  let node = from;
  let emitted = 0;
  for (let bit = 3; bit >= 0; bit--) {
    const child = children[2 * node + ((bits >> bit) & 1)] ?? 0;
    if (child >= 0) {
      node = child;
      continue;
    }
    const symbol = -1 - child;
    if (symbol === EOS) return FAILS;
    emitted = EMITS | symbol;
    node = 0;
  }
  return (node << NEXT_SHIFT) | emitted;
}
