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
