/**
 * The only source of time. Everything that needs the time takes a {@link Clock}, so that tests own it.
 */
export interface Clock {
  /** Whole seconds since 1970-01-01T00:00:00Z, rounded down: the `now` of spec "Time". */
  nowSeconds(): number;
  /** Milliseconds since 1970-01-01T00:00:00Z, for windows that need more than whole seconds. */
  nowMs(): number;
}

/** The machine's clock. */
export const systemClock: Clock = {
  nowSeconds: () => Math.floor(Date.now() / 1000),
  nowMs: () => Date.now(),
};

/** A span of time in which a credential, retiring secret or grant works; bounds in seconds since the epoch, null for none. */
export interface Lifetime {
  readonly notBefore: number | null;
  readonly expiresAt: number | null;
}

/** Tells whether `notBefore ≤ now < expiresAt` (spec "Time"). */
export function isLive(lifetime: Lifetime, nowSeconds: number): boolean {
  return (
    (lifetime.notBefore === null || lifetime.notBefore <= nowSeconds) &&
    (lifetime.expiresAt === null || nowSeconds < lifetime.expiresAt)
  );
}
