/** The value below which this part of others lies, of 0 to 1. */
export function quantileOf(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

/** `p50 3.1 ms, p99 20.4 ms, max 31.0 ms` */
export function quantiles(valuesMs: readonly number[]): string {
  const at = (part: number): string => `${quantileOf(valuesMs, part).toFixed(1)} ms`;
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)}`;
}
