import assert from 'node:assert/strict';
import { LogTail } from '../../../src/demo/demo-process.ts';

describe('the end of a log', () => {
  it('is its last lines, whatever pieces they came in', () => {
    const log = new LogTail('Envoy');
    for (const piece of ['one\ntw', 'o\n', 'three\n']) log.write(piece);
    assert.deepEqual(log.lines(2), ['two', 'three']);
  });

  it('is bounded', () => {
    const log = new LogTail('Envoy');
    for (let line = 0; line < 10_000; line += 1) log.write(`${'x'.repeat(99)}\n`);
    assert.ok(log.lines(10_000).join('\n').length < 100_000);
  });
});
