/**
 * The only source of time. Everything that needs the time takes a {@link Clock}, so that tests own it.
 *
 * What is compared with a written moment, such as a signed time or the end of a credential, takes `nowSeconds`. Ages
 * and deadlines take `nowMs`, durations `elapsedMs`: setting the machine's clock does not change them.
 */
export interface Clock {
  /** Whole seconds since 1970-01-01T00:00:00Z, rounded down (spec "Time"). It steps when the clock is set. */
  nowSeconds(): number;
  /**
   * Monotonic milliseconds: those since 1970-01-01T00:00:00Z by the machine's clock when the process started, and from
   * then on only time that has passed.
   */
  nowMs(): number;
  /** Monotonic milliseconds since the process started, with fractions. Spans of traces have the same scale. */
  elapsedMs(): number;
}

/** Constant, and not free to ask for. */
const ORIGIN_MS = performance.timeOrigin;

/** The machine's clocks. */
export const systemClock: Clock = {
  nowSeconds: () => Math.floor(Date.now() / 1000),
  nowMs: () => Math.floor(ORIGIN_MS + performance.now()),
  elapsedMs: () => performance.now(),
};

/** Milliseconds since 1970-01-01T00:00:00Z by the machine's clock, for libraries that compare deadlines with it. */
export function wallMs(): number {
  return Date.now();
}

/** Does something once, later, unless it is cancelled by calling what it gives. */
export type StartTimer = (delayMs: number, action: () => void) => () => void;

/** The machine's timer. It does not keep the process alive. */
export const startSystemTimer: StartTimer = (delayMs, action) => {
  const timer = setTimeout(action, delayMs);
  timer.unref();
  return () => {
    clearTimeout(timer);
  };
};

/** Waits for work, so many milliseconds at most: what has not ended goes on. Rejects as the work does. */
export async function waitAtMost(delayMs: number, work: Promise<unknown>, startTimer: StartTimer): Promise<void> {
  let cancel = (): void => undefined;
  const patience = new Promise<void>((resolve) => {
    cancel = startTimer(delayMs, resolve);
  });
  try {
    await Promise.race([work, patience]);
  } finally {
    cancel();
  }
}

/** When a credential, retiring secret or grant works; bounds in seconds since the epoch, null for none. */
export interface Lifetime {
  readonly notBefore: number | null;
  readonly expiresAt: number | null;
}

/** Whether `notBefore ≤ now < expiresAt` (spec "Time"). */
export function isLive(lifetime: Lifetime, nowSeconds: number): boolean {
  return (
    (lifetime.notBefore === null || lifetime.notBefore <= nowSeconds) &&
    (lifetime.expiresAt === null || nowSeconds < lifetime.expiresAt)
  );
}
