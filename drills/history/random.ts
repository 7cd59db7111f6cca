/** A source of numbers that gives the same ones for the same seed. */
export interface Random {
  /** At least `least` and below `below`. */
  between(least: number, below: number): number;
  /** One of them. */
  of<T>(items: readonly [T, ...T[]]): T;
  /** True once in so many times. */
  onceIn(times: number): boolean;
}

/** Xorshift32 (Marsaglia, 2003). */
export function seededRandom(seed: number): Random {
  let state = (seed ^ 0x9e37_79b9) | 0 || 1;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  const between: Random['between'] = (least, below) => least + next() * (below - least);
  return {
    between,
    of: (items) => items[Math.floor(between(0, items.length))] ?? items[0],
    onceIn: (times) => next() < 1 / times,
  };
}
