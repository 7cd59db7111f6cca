/** The middle of the values, or the mean of the two middle ones; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  const upper = sorted[half] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? NaN) + upper) / 2;
}

/** The median of the quotients of two series, within each round: what disturbs a round disturbs both. NaN of none. */
export function medianRatio(values: readonly number[], others: readonly number[]): number {
  return median(values.map((value, round) => value / (others[round] ?? NaN)));
}

/** The differences of two series within each round. */
export function differences(values: readonly number[], others: readonly number[]): readonly number[] {
  return values.map((value, round) => value - (others[round] ?? NaN));
}
