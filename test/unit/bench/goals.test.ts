import assert from 'node:assert/strict';
import { goals, judgeGoals, type Results } from '../../../bench/goals.ts';
import type { LoadName } from '../../../bench/loads.ts';
import type { Sample } from '../../../bench/measure.ts';
import { loadNamesOf } from '../../../bench/row.ts';
import { rows } from '../../../bench/rows.ts';

const sample: Sample = { cpuUs: 1, checksPerSecond: 1, p50Us: 1, p99Us: 1, driverUs: 1, envoyUs: 1 };

/** Results of rows under one load, with the CPU time of each round. */
function resultsOf(load: LoadName, cpuUs: Readonly<Record<string, readonly number[]>>): Results {
  const measured = Object.entries(cpuUs).map(([name, values]) => ({
    row: { name },
    samples: { [load]: values.map((value) => ({ ...sample, cpuUs: value })) },
  }));
  return { measured, memory: null };
}

describe('the goals of the bench', () => {
  it('are all about rows and loads that exist', () => {
    const measured = rows.map((row) => ({
      row,
      samples: Object.fromEntries(loadNamesOf(row).map((load) => [load, [sample]])),
    }));
    const outcomes = judgeGoals({ measured, memory: { afterChecksMiB: 1, afterLargeBodiesMiB: 1 } });
    assert.equal(outcomes.length, goals.length);
    const without = outcomes.filter(({ values }) => values.includes(null));
    assert.deepEqual(
      without.map(({ text }) => text),
      [],
    );
  });

  it('are left out where nothing was measured', () => {
    assert.deepEqual(judgeGoals({ measured: [], memory: null }), []);
  });

  it('compare rows within each round', () => {
    const outcomes = judgeGoals(resultsOf('busy', { key: [10, 40, 11], 'grpc-go-key': [30, 100, 30] }));
    assert.deepEqual(outcomes, [{ text: 'CPU of key, busy ≤ 0.36 × grpc-go', values: [11 / 30], isMet: false }]);
  });

  const more = 'CPU of limit, busy ≤ 3 µs more than key or ≤ 0.1 × grpc-go-key more';

  it('take the difference of rows within each round', () => {
    const outcomes = judgeGoals(resultsOf('busy', { key: [10, 50, 12], limit: [12, 53, 20] }));
    assert.deepEqual(outcomes, [{ text: more, values: [3, null], isMet: true }]);
  });

  it('in µs hold on a slower machine for the same share of a check on grpc-go', () => {
    const outcomes = judgeGoals(resultsOf('busy', { key: [20], limit: [25], 'grpc-go-key': [50] }));
    assert.deepEqual(outcomes.at(-1), { text: more, values: [5, 0.1], isMet: true });
  });

  const saturated = 'CPU of envoy-key, saturated ≤ 18 µs or ≤ 0.4 × grpc-go';

  it('are met when one of two bounds is', () => {
    const outcomes = judgeGoals(resultsOf('saturated', { 'envoy-key': [20], 'envoy-grpc-go-key': [80] }));
    assert.deepEqual(outcomes[0], { text: saturated, values: [20, 0.25], isMet: true });
  });

  it('are judged by the bound that was measured', () => {
    const outcomes = judgeGoals(resultsOf('saturated', { 'envoy-key': [17] }));
    assert.deepEqual(outcomes, [{ text: saturated, values: [17, null], isMet: true }]);
  });

  it('hold the memory of idle services against a bound', () => {
    const outcomes = judgeGoals({ measured: [], memory: { afterChecksMiB: 90, afterLargeBodiesMiB: 90.1 } });
    assert.deepEqual(
      outcomes.map(({ isMet }) => isMet),
      [true, false],
    );
  });
});
