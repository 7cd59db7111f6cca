import assert from 'node:assert/strict';
import { LastUsed } from '../../../src/base/last-used.ts';

const COUNT = 10;

function remember(memory: LastUsed<string>, from: number, to: number): void {
  for (let at = from; at < to; at += 1) memory.set(String(at), `value ${String(at)}`);
}

function known(memory: LastUsed<string>, to: number): number {
  return Array.from({ length: to }, (_, at) => String(at)).filter((digest) => memory.get(digest) !== undefined).length;
}

describe('the memory of what was used last', () => {
  it('has the values that were used last, however many came', () => {
    for (const came of [1, COUNT, COUNT + 1, 2 * COUNT, 7 * COUNT + 3]) {
      const memory = new LastUsed<string>(COUNT);
      remember(memory, 0, came);
      for (let at = Math.max(0, came - COUNT); at < came; at += 1) {
        assert.equal(memory.get(String(at)), `value ${String(at)}`, `${String(at)} of ${String(came)}`);
      }
    }
  });

  it('keeps a value that is used while others come', () => {
    const memory = new LastUsed<string>(COUNT);
    memory.set('used', 'value');
    for (let at = 0; at < 10 * COUNT; at += 1) {
      remember(memory, at, at + 1);
      assert.equal(memory.get('used'), 'value', String(at));
    }
  });

  it('has at most twice as many', () => {
    const memory = new LastUsed<string>(COUNT);
    remember(memory, 0, 100 * COUNT);
    assert.ok(known(memory, 100 * COUNT) <= 2 * COUNT);
  });

  it('is empty after it was cleared', () => {
    const memory = new LastUsed<string>(COUNT);
    remember(memory, 0, 2 * COUNT);
    memory.clear();
    assert.equal(known(memory, 2 * COUNT), 0);
  });
});
