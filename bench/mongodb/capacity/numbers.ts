/** A prime that divides no round number of consumers, so that steps of it reach each of them once. */
const STEP = 7_368_787;

/** Each number below `count` once, neighbours far apart. */
export function* evenNumbers(count: number): Generator<number, undefined> {
  for (let index = 0; index < count; index += 1) yield (index * STEP) % count;
}

/**
 * Numbers below `count` without end, the one of rank k about k times as rare as the first (Zipf, exponent 1); the same on
 * each run.
 */
export function* skewedNumbers(count: number): Generator<number, never> {
  for (let state = 1; ; state = (state * 48_271) % 2_147_483_647) {
    const rank = Math.floor(count ** (state / 2_147_483_647));
    yield (rank * STEP) % count;
  }
}
