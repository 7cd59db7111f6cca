import assert from 'node:assert/strict';
import { formatKeyRingLocation, parseKeyRingLocation } from '../../../../src/model/keyring/ring-location.ts';
import { ringText } from '../../../support/keyring/test-key-ring.ts';

describe('the place of a key ring', () => {
  for (const [text, location, shown] of [
    ['/etc/postern/ring.yaml', { kind: 'file', path: '/etc/postern/ring.yaml' }, '/etc/postern/ring.yaml'],
    ['file:ring.yaml', { kind: 'file', path: 'ring.yaml' }, 'ring.yaml'],
    ['env:KEY_RING', { kind: 'environment', name: 'KEY_RING' }, 'env:KEY_RING'],
  ] as const) {
    it(`can be ${text}`, () => {
      assert.deepEqual(parseKeyRingLocation(text), location);
      assert.equal(formatKeyRingLocation(location), shown);
    });
  }

  for (const [text, fault] of [
    ['file:', /must be the path of a file, or env:NAME/],
    ['env:', /comes the name of an environment variable/],
    ['env:A-B', /comes the name of an environment variable/],
    ['env:POSTERN_RING', /must not begin with POSTERN_/],
  ] as const) {
    it(`cannot be ${text}`, () => {
      const parsed = parseKeyRingLocation(text);
      assert.match('fault' in parsed ? parsed.fault : '', fault);
    });
  }

  it('cannot be a key ring itself, which no message repeats', () => {
    const key = Buffer.alloc(32, 1).toString('base64');
    for (const text of [ringText(1), `version: 1`, `{"keys":["${key}"]}`, key]) {
      const parsed = parseKeyRingLocation(text);
      assert.ok('fault' in parsed, text);
      assert.match(parsed.fault, /this is a key ring or a key, and must be the place of one/);
      assert.ok(!parsed.fault.includes(key.slice(0, 8)));
    }
  });
});
