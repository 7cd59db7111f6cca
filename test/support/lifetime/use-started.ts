import assert from 'node:assert/strict';
import { release } from './release.ts';

/**
 * Starts something before the tests of the calling `describe`, and disposes it after them. What is given stands for
 * what was started: its members can be used within tests and hooks.
 */
export function useStarted<T extends AsyncDisposable>(start: () => Promise<T>): T {
  let started: T | undefined;
  before(async () => {
    started = await start();
  });
  after(() => release(started));
  const standIn: object = {};
  return new Proxy(standIn, {
    get: (_, name): unknown => {
      assert.ok(started, `${String(name)} can be used within tests only`);
      return Reflect.get(started, name);
    },
  }) as T;
}
