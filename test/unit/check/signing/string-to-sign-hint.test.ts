import assert from 'node:assert/strict';

import { describeStringToSign, MAX_HINT_BYTES } from '../../../../src/check/signing/string-to-sign-hint.ts';

describe('string to sign in a hint', () => {
  it('is shown as it is', () => {
    for (const text of ['', 'date: x\nGET / HTTP/1.1', '\ufeffa=张三😀', 'x'.repeat(MAX_HINT_BYTES)]) {
      assert.equal(describeStringToSign(Buffer.from(text)), text);
    }
  });

  it('is cut after 4096 bytes, never within a character', () => {
    assert.equal(MAX_HINT_BYTES, 4096);
    assert.equal(describeStringToSign(Buffer.from('x'.repeat(4097))), `${'x'.repeat(4096)}…`);
    assert.equal(describeStringToSign(Buffer.from(`${'x'.repeat(4095)}é`)), `${'x'.repeat(4095)}…`);
    assert.equal(describeStringToSign(Buffer.from(`${'x'.repeat(4093)}😀y`)), `${'x'.repeat(4093)}…`);
    assert.equal(describeStringToSign(Buffer.from(`${'x'.repeat(4092)}😀y`)), `${'x'.repeat(4092)}😀…`);
  });

  it('shows bytes that are not UTF-8 as U+FFFD', () => {
    assert.equal(describeStringToSign(Buffer.from([0x61, 0xff, 0x62, 0xc3])), 'a\ufffdb\ufffd');
  });
});
