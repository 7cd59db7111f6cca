import assert from 'node:assert/strict';
import { LineBudget, openRequestLog } from '../../../../src/gateway/observe/line-budget.ts';
import { createLogger } from '../../../../src/gateway/observe/logger.ts';
import { Metrics } from '../../../../src/gateway/observe/metrics.ts';
import { ManualTime } from '../../../support/time/manual-time.ts';

type Told = readonly [kind: string, lines: number];

function start(): {
  budget: LineBudget;
  time: ManualTime;
  told: Told[];
  written: (kind: string, asked: number) => number;
} {
  const time = new ManualTime();
  const told: Told[] = [];
  const budget = new LineBudget({
    clock: time,
    startTimer: time.startTimer,
    onLeftOut: (kind, lines) => told.push([kind, lines]),
  });
  const written = (kind: string, asked: number): number =>
    Array.from({ length: asked }, () => budget.take(kind)).filter(Boolean).length;
  return { budget, time, told, written };
}

describe('the budget of lines about requests', () => {
  it('lets a hundred lines of a kind pass at once, and ten a second from then on', async () => {
    const { time, written } = start();
    assert.equal(written('A', 1000), 100);
    await time.advance(99);
    assert.equal(written('A', 1000), 0);
    await time.advance(1);
    assert.equal(written('A', 1000), 1);
    let lines = 0;
    for (let second = 0; second < 3600; second += 1) {
      await time.advance(1000);
      lines += written('A', 200);
    }
    assert.equal(lines, 36_000);
  });

  it('never saves up more than a hundred', async () => {
    const { time, written } = start();
    written('A', 1000);
    await time.advance(3_600_000);
    assert.equal(written('A', 1000), 100);
  });

  it('counts kinds for themselves: an attack hides no other refusal', () => {
    const { written } = start();
    written('AUTHENTICATION_FAILED', 100_000);
    assert.equal(written('NOT_AUTHORIZED', 5), 5);
  });

  it('reports every ten seconds what was left out, as long as something was', async () => {
    const { budget, time, told, written } = start();
    written('A', 150);
    written('B', 101);
    written('C', 100);
    await time.advance(9_999);
    assert.deepEqual(told, []);
    await time.advance(1);
    assert.deepEqual(told.splice(0), [
      ['A', 50],
      ['B', 1],
    ]);
    await time.advance(60_000);
    assert.deepEqual(told, []);
    assert.equal(time.timers, 0);
    written('A', 102);
    await time.advance(10_000);
    assert.deepEqual(told, [['A', 2]]);
    assert.deepEqual(
      [...budget.leftOut()],
      [
        ['A', 52],
        ['B', 1],
        ['C', 0],
      ],
    );
  });

  it('reports the rest when it ends, and then no more', async () => {
    const { budget, time, told, written } = start();
    written('A', 107);
    budget[Symbol.dispose]();
    assert.deepEqual(told, [['A', 7]]);
    await time.advance(60_000);
    assert.equal(told.length, 1);
    assert.equal(time.timers, 0);
  });

  it('shows what it leaves out as a line and as a metric', async () => {
    const time = new ManualTime();
    const lines: string[] = [];
    const { registry } = new Metrics('test');
    const logger = createLogger('info', { write: (line: string) => lines.push(line) });
    const budget = openRequestLog({ logger, registry, clock: time, startTimer: time.startTimer });
    for (let at = 0; at < 142; at += 1) budget.take('AUTHENTICATION_FAILED');
    await time.advance(10_000);
    assert.equal(lines.length, 1);
    const { level, kind, lines: left, message } = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
    assert.deepEqual(
      { level, kind, left, message },
      {
        level: 'warn',
        kind: 'AUTHENTICATION_FAILED',
        left: 42,
        message: 'lines about refused requests were left out, because there were too many',
      },
    );
    assert.match(await registry.metrics(), /^postern_log_lines_left_out_total\{kind="AUTHENTICATION_FAILED"\} 42$/m);
  });
});
