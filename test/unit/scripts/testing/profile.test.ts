import assert from 'node:assert/strict';
import { profileText } from '../../../../scripts/testing/profile.mjs';

describe('the profile of a test run', () => {
  it('adds up by suite, shows the dearest files first, and counts started programs', () => {
    const measured = (wallSeconds: number, processorSeconds: number, started = {}): object => ({
      ...{ wallSeconds, processorSeconds, hookSeconds: 1, started },
    });
    const files = [
      { suite: 'unit', file: 'test/unit/a.test.ts', passed: 3, measured: measured(2, 3) },
      { suite: 'e2e', file: 'test/e2e/b.test.ts', passed: 1, measured: measured(9, 4, { envoy: 2 }) },
      { suite: 'e2e', file: 'test/e2e/c.test.ts', passed: 1, measured: measured(1, 1, { envoy: 1, mongod: 1 }) },
      { suite: 'e2e', file: 'test/e2e/not-measured.test.ts', passed: 0, measured: null },
    ] as Parameters<typeof profileText>[0];
    assert.equal(
      profileText(files),
      [
        '     wall      cpu  waiting    hooks  tests  suite',
        '      2.0      3.0      0.0      1.0      3  unit',
        '     10.0      5.0      5.0      2.0      2  e2e',
        '     12.0      8.0      5.0      3.0      5  all',
        '',
        '     wall      cpu  waiting    hooks  tests  the 3 dearest files',
        '      9.0      4.0      5.0      1.0      1  test/e2e/b.test.ts',
        '      2.0      3.0      0.0      1.0      3  test/unit/a.test.ts',
        '      1.0      1.0      0.0      1.0      1  test/e2e/c.test.ts',
        '',
        'started in unit: ',
        'started in e2e: envoy 3, mongod 1',
      ].join('\n'),
    );
  });
});
