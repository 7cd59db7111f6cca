import assert from 'node:assert/strict';
import { DemoLogs } from '../../../../src/cli/demo/demo-logs.ts';

describe('the logs that the demo keeps', () => {
  it('end with the last lines of each program, however the text was cut into pieces', () => {
    const logs = new DemoLogs();
    for (const piece of ['one\ntw', 'o\n', 'three\n']) logs.write('Envoy', piece);
    logs.write('Redis', 'ready\n');
    assert.deepEqual(
      [...logs.ends(2)],
      [
        ['Envoy', ['two', 'three']],
        ['Redis', ['ready']],
      ],
    );
  });

  it('are bounded', () => {
    const logs = new DemoLogs();
    for (let line = 0; line < 10_000; line += 1) logs.write('Envoy', `${'x'.repeat(99)}\n`);
    assert.ok((logs.ends(10_000).get('Envoy') ?? []).join('\n').length < 100_000);
  });
});
