import assert from 'node:assert/strict';
import fc from 'fast-check';
import { requestField } from '../../../../../src/wire/server/http2/request-field.ts';
import { parseTimeoutMs, RequestHead } from '../../../../../src/wire/server/http2/request-head.ts';

describe('reading grpc-timeout', () => {
  it('reads every unit', () => {
    const texts = {
      '1H': 3_600_000,
      '2M': 120_000,
      '3S': 3000,
      '4m': 4,
      '5000u': 5,
      '6000000n': 6,
      '0m': 0,
      '99999999S': 99999999000,
    };
    for (const [text, ms] of Object.entries(texts)) assert.ok(Math.abs(parseTimeoutMs(text) - ms) < 1e-6, text);
  });

  it('gives NaN for everything else', () => {
    for (const text of ['', '1', 'S', '1s', '1 S', '-1S', '1.5S', '123456789S', '1SS', ' 1S', '١S']) {
      assert.ok(Number.isNaN(parseTimeoutMs(text)), text);
    }
    fc.assert(
      fc.property(fc.string(), (text) => {
        assert.equal(Number.isNaN(parseTimeoutMs(text)), !/^\d{1,8}[HMSmun]$/.test(text));
      }),
    );
  });
});

describe('reading traceparent', () => {
  function read(...values: readonly string[]): string | null {
    const head = new RequestHead();
    for (const value of values) {
      const sizeBytes = 'traceparent'.length + value.length + 32;
      head.field({ name: 'traceparent', value, kind: requestField.traceParent, sizeBytes, malformedValue: false });
    }
    return head.traceParent;
  }
  const good = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

  it('keeps the one that came', () => {
    assert.equal(read(good), good);
    assert.equal(read(), null);
  });

  it('keeps none of several', () => {
    assert.equal(read(good, good), null);
    assert.equal(read('x'.repeat(4000), good), null);
  });

  it('keeps none that is too long, because open calls hold it', () => {
    assert.equal(read('0'.repeat(128)), '0'.repeat(128));
    assert.equal(read('0'.repeat(129)), null);
  });
});
