/** `p50 3.1 ms, p99 20.4 ms, max 31.0 ms` */
export function quantiles(valuesMs: readonly number[]): string {
  const sorted = [...valuesMs].sort((a, b) => a - b);
  const at = (part: number): string => {
    const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
    return `${value.toFixed(1)} ms`;
  };
  return `p50 ${at(0.5)}, p99 ${at(0.99)}, max ${at(1)}`;
}
