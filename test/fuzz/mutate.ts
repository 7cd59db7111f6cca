import { type Random } from './random.ts';

const MAX_CHANGES = 5;
const MAX_REPEATS = 200;
const MAX_BYTES = 65_536;

/** An input like `seed`, with a few changes: bytes, ranges, words of the target's language, pieces of another seed. */
export function mutate(seed: Buffer, seeds: readonly Buffer[], words: readonly string[], random: Random): Buffer {
  let bytes = seed;
  for (let count = random.below(MAX_CHANGES); count >= 0; count -= 1) bytes = change(bytes, seeds, words, random);
  return bytes.subarray(0, MAX_BYTES);
}

function change(bytes: Buffer, seeds: readonly Buffer[], words: readonly string[], random: Random): Buffer {
  const at = random.below(bytes.length + 1);
  const end = Math.min(bytes.length, at + random.below(random.below(2) === 0 ? 4 : bytes.length));
  const word = Buffer.from(words.length === 0 ? '' : random.pick(words), 'latin1');
  const before = bytes.subarray(0, at);
  const range = bytes.subarray(at, end);
  switch (random.below(8)) {
    case 0:
      return Buffer.concat([before, Buffer.from([random.below(256)]), bytes.subarray(at)]);
    case 1:
      return Buffer.concat([before, Buffer.from([random.below(256)]), bytes.subarray(at + 1)]);
    case 2:
      return Buffer.concat([before, bytes.subarray(end)]);
    case 3:
      return Buffer.concat([before, range, range, bytes.subarray(end)]);
    case 4:
      return Buffer.concat([before, word, bytes.subarray(at)]);
    case 5:
      return Buffer.concat([before, word, bytes.subarray(end)]);
    case 6: {
      const other = random.pick(seeds);
      return Buffer.concat([before, other.subarray(random.below(other.length + 1))]);
    }
    default: {
      const piece = random.below(2) === 0 ? word : range.subarray(0, 64);
      return Buffer.concat([before, ...Array<Buffer>(random.below(MAX_REPEATS)).fill(piece), bytes.subarray(at)]);
    }
  }
}
