/**
 * How many seconds a window aligned to UTC may have left when somebody looks between two times, in whole seconds since
 * the epoch: every value that was right for a moment, however long the look took.
 */
export function secondsLeft(windowSeconds: number, before: number, after: number): readonly number[] {
  return Array.from({ length: after - before + 1 }, (_, passed) => windowSeconds - ((before + passed) % windowSeconds));
}
