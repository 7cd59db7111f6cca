/** A time as declarative files have it: `2027-01-01T00:00:00Z`. Takes seconds since the epoch. */
export function declareTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}
