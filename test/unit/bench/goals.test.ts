import assert from 'node:assert/strict';
import type { BesideFigures } from '../../../bench/beside.ts';
import { type KeyKind, keyKinds } from '../../../bench/fixtures/key-pairs.ts';
import type { Results } from '../../../bench/bounds.ts';
import { goals, judgeGoals } from '../../../bench/goals.ts';
import type { LoadName } from '../../../bench/loads.ts';
import type { Sample } from '../../../bench/measure.ts';
import { loadNamesOf } from '../../../bench/row.ts';
import { rows } from '../../../bench/rows.ts';
import type { TokenFigures } from '../../../bench/token-endpoint.ts';

const sample: Sample = { cpuUs: 1, checksPerSecond: 1, p50Us: 1, p99Us: 1, driverUs: 1, envoyUs: 1 };

const nothing: Results = { measured: [], memory: null, beside: {}, tokens: null };

function besideFigures(p99ToAlone: number | null): BesideFigures {
  return { title: '', keyChecks: { calls: 1, p50Us: 1, p99Us: 1, maxUs: 1 }, p99ToAlone, others: null };
}

function assertions(kind: KeyKind, toParts: number): TokenFigures {
  return { name: `assertion-${kind}`, cpuUs: 1, tokensPerSecond: 1, p50Us: 1, p99Us: 1, verifyUs: 1, toParts };
}

/** Results of rows under one load, with the CPU time of each round. */
function resultsOf(load: LoadName, cpuUs: Readonly<Record<string, readonly number[]>>): Results {
  const measured = Object.entries(cpuUs).map(([name, values]) => ({
    row: { name },
    samples: { [load]: values.map((value) => ({ ...sample, cpuUs: value })) },
  }));
  return { ...nothing, measured };
}

describe('the goals of the bench', () => {
  it('are all about rows and loads that exist', () => {
    const measured = rows.map((row) => ({
      row,
      samples: Object.fromEntries(loadNamesOf(row).map((load) => [load, [sample]])),
    }));
    const memory = { afterChecksMiB: 1, afterLargeBodiesMiB: 1 };
    const figures = [besideFigures(null), besideFigures(1)];
    const beside = { 'key-beside-signatures': figures, 'small-beside-large': figures };
    const outcomes = judgeGoals({ measured, memory, beside, tokens: keyKinds.map((kind) => assertions(kind, 1)) });
    assert.equal(outcomes.length, goals.length);
    const without = outcomes.filter(({ values }) => values.includes(null));
    assert.deepEqual(
      without.map(({ text }) => text),
      [],
    );
  });

  it('are left out where nothing was measured', () => {
    assert.deepEqual(judgeGoals(nothing), []);
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

  const signed = 'http-message-signature-p256';
  const signedRows = { [signed]: [110, 210, 99], [`grpc-go-${signed}`]: [200, 300, 99] };
  const parts = { key: [10, 10, 10], 'verify-node-p256': [90, 190, 80] };

  it('add parts of a check up within each round', () => {
    const outcomes = judgeGoals(resultsOf('busy', { ...signedRows, ...parts, 'verify-go-p256': [90, 190, 80] }));
    assert.deepEqual(outcomes, [
      { text: `CPU of ${signed}, busy ≤ 1.15 × (verify-node-p256 + key)`, values: [1.1], isMet: true },
      { text: `CPU of ${signed}, busy ≤ 0.8 × grpc-go`, values: [0.7], isMet: true },
    ]);
  });

  it('say nothing of grpc-go where Go verifies the signature in less time', () => {
    const outcomes = judgeGoals(resultsOf('busy', { ...signedRows, ...parts, 'verify-go-p256': [80, 180, 70] }));
    assert.deepEqual(
      outcomes.map(({ text }) => text),
      [`CPU of ${signed}, busy ≤ 1.15 × (verify-node-p256 + key)`],
    );
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

  it('hold latencies beside other checks against those alone', () => {
    const beside = { 'key-beside-signatures': [besideFigures(null), besideFigures(3), besideFigures(1.6)] };
    assert.deepEqual(judgeGoals({ ...nothing, beside }), [
      { text: 'p99 of key checks beside P-256 signatures, 2000/s ≤ 1.5 × alone', values: [1.6], isMet: false },
    ]);
  });

  it('hold a token for an assertion against its parts', () => {
    assert.deepEqual(judgeGoals({ ...nothing, tokens: [assertions('rsa', 1.1)] }), [
      { text: 'CPU of assertion-rsa ≤ 1.15 × (token-endpoint + crypto.verify)', values: [1.1], isMet: true },
    ]);
  });

  it('hold the memory of idle services against a bound', () => {
    const outcomes = judgeGoals({ ...nothing, memory: { afterChecksMiB: 90, afterLargeBodiesMiB: 90.1 } });
    assert.deepEqual(
      outcomes.map(({ isMet }) => isMet),
      [true, false],
    );
  });
});
