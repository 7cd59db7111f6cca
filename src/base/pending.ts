/**
 * A value, or a promise of it only when something must be waited for. The check path answers from memory in the same
 * turn of the event loop whenever it can: a promise for every request would cost more than the decision itself.
 */
export type Pending<T> = T | Promise<T>;

/** Whether the value must be waited for. */
export function isPromise<T>(value: Pending<T>): value is Promise<T> {
  return value instanceof Promise;
}

/** Calls `next` at once, or when the value is there. */
export function whenReady<T, U>(value: Pending<T>, next: (value: T) => Pending<U>): Pending<U> {
  return isPromise(value) ? value.then(next) : next(value);
}
