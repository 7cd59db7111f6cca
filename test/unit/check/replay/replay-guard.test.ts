import assert from 'node:assert/strict';
import fc from 'fast-check';
import { replayKeyOf } from '../../../../src/check/replay/replay-guard.ts';

const signature = fc.record({
  method: fc.constantFrom('hmac', 'parameter-signature'),
  appKey: fc.stringMatching(/^[A-Za-z0-9._-]{1,512}$/),
  mark: fc.uint8Array({ minLength: 32, maxLength: 64 }),
});

describe('the key of a used signature', () => {
  it('has one size, and shows nothing of the signature', () => {
    fc.assert(
      fc.property(signature, (used) => {
        const key = replayKeyOf(used);
        assert.match(key, /^[A-Za-z0-9_-]{43}$/);
        assert.ok(!key.includes(Buffer.from(used.mark).toString('base64url')));
      }),
    );
  });

  it('is the same for the same bytes, and another for another method, App Key or MAC', () => {
    fc.assert(
      fc.property(signature, signature, (one, two) => {
        const isSame =
          one.method === two.method && one.appKey === two.appKey && Buffer.compare(one.mark, two.mark) === 0;
        assert.equal(replayKeyOf(one) === replayKeyOf(two), isSame);
        assert.equal(replayKeyOf(one), replayKeyOf({ ...one, mark: Buffer.from(one.mark) }));
        const changed = Buffer.from(one.mark);
        changed.writeUInt8(changed.readUInt8(0) ^ 1, 0);
        for (const other of [
          { ...one, method: one.method === 'hmac' ? 'parameter-signature' : 'hmac' } as const,
          { ...one, appKey: `${one.appKey}0` },
          { ...one, mark: changed },
        ]) {
          assert.notEqual(replayKeyOf(one), replayKeyOf(other));
        }
      }),
    );
  });

  it('does not confuse parts that run together', () => {
    const mark = Buffer.alloc(32, 'm');
    const one = replayKeyOf({ method: 'hmac', appKey: 'a', mark: Buffer.concat([Buffer.from('b'), mark]) });
    assert.notEqual(one, replayKeyOf({ method: 'hmac', appKey: 'ab', mark }));
  });
});
