import assert from 'node:assert/strict';
import { startProgress } from '../../../src/cli/interaction.ts';
import { type Clock } from '../../../src/base/clock.ts';

/** A stream and a clock that the test owns. */
function setUp(isTerminal: boolean): {
  output: { isTerminal: boolean; write(text: string): void };
  clock: Clock;
  written: string[];
  readonly wait: (ms: number) => void;
} {
  let nowMs = 1000;
  const written: string[] = [];
  return {
    written,
    output: { isTerminal, write: (text) => written.push(text) },
    clock: { nowMs: () => nowMs, nowSeconds: () => Math.floor(nowMs / 1000), elapsedMs: () => nowMs },
    wait: (ms) => {
      nowMs += ms;
    },
  };
}

describe('progress of long work', () => {
  it('is a bar on a terminal, drawn ten times a second and erased at the end', () => {
    const { output, clock, written, wait } = setUp(true);
    {
      using progress = startProgress('applying', output, clock);
      progress.update(0, 2000);
      progress.update(1, 2000);
      wait(100);
      progress.update(1000, 2000);
    }
    assert.deepEqual(written, [
      '\r\u001b[Kapplying [------------------------] 0 % (0 of 2 000)',
      '\r\u001b[Kapplying [############------------] 50 % (1 000 of 2 000)',
      '\r\u001b[K',
    ]);
  });

  it('is a line every five seconds elsewhere, and none for short work', () => {
    const { output, clock, written, wait } = setUp(false);
    {
      using progress = startProgress('comparing', output, clock);
      progress.update(1, null);
      wait(4999);
      progress.update(2, null);
      wait(1);
      progress.update(1_234_567, null);
      progress.update(1_234_568, null);
    }
    assert.deepEqual(written, ['comparing: 1 234 567\n']);
  });

  it('leaves a terminal alone when nothing was drawn, and never goes beyond its end', () => {
    const { output, clock, written, wait } = setUp(true);
    startProgress('applying', output, clock)[Symbol.dispose]();
    assert.deepEqual(written, []);
    using progress = startProgress('applying', output, clock);
    progress.update(0, 0);
    wait(100);
    progress.update(3, 2);
    assert.match(written.join(''), /\[#{24}\] 100 % \(0 of 0\).*\[#{24}\] 100 % \(3 of 2\)/s);
  });
});
