import assert from 'node:assert/strict';
import {
  DEFAULT_LIFE_SECONDS,
  lifeSeconds,
  MAX_LIFE_SECONDS,
  MIN_LIFE_SECONDS,
} from '../../../../src/gateway/issuer-keys/cache-control.ts';
import { refreshAfterMs, retryAfterMs } from '../../../../src/gateway/issuer-keys/refresh-times.ts';

describe('the life of fetched keys', () => {
  it('is what Cache-Control says, within bounds', () => {
    for (const [text, seconds] of [
      [undefined, DEFAULT_LIFE_SECONDS],
      ['', DEFAULT_LIFE_SECONDS],
      ['public', DEFAULT_LIFE_SECONDS],
      ['max-age=abc', DEFAULT_LIFE_SECONDS],
      ['max-age=-1', DEFAULT_LIFE_SECONDS],
      ['public, MAX-AGE=300, must-revalidate', 300],
      ['max-age="300"', 300],
      ['max-age=0', MIN_LIFE_SECONDS],
      ['max-age=999999999999999', MAX_LIFE_SECONDS],
      ['max-age=300, no-store', MIN_LIFE_SECONDS],
      ['no-cache', MIN_LIFE_SECONDS],
    ] as const) {
      assert.equal(lifeSeconds(text), seconds, text);
    }
  });

  it('is used up to its last quarter, and never to its end', () => {
    assert.deepEqual(
      [0, 1].map((random) => refreshAfterMs(600, random)),
      [450_000, 540_000],
    );
  });

  it('is tried again ever later, and at least once a minute or so', () => {
    assert.deepEqual(
      [1, 2, 3, 4, 5, 1000].map((failures) => retryAfterMs(failures, 0.5)),
      [5000, 10_000, 20_000, 40_000, 60_000, 60_000],
    );
    assert.deepEqual([retryAfterMs(1, 0), retryAfterMs(9, 1)], [4000, 72_000]);
  });
});
