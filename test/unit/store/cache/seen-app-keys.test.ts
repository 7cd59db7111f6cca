import assert from 'node:assert/strict';
import { SeenAppKeys } from '../../../../src/store/cache/seen-app-keys.ts';
import { hashOf } from '../../../support/store/held.ts';

describe('the memory of App Keys once seen', () => {
  it('knows what it was told, and nothing else', () => {
    const seen = new SeenAppKeys();
    const ids = Array.from({ length: 1000 }, (_, at) => String(at));
    for (const id of ids) assert.ok(!seen.has(hashOf(id)));
    for (const id of ids) seen.note(hashOf(id));
    const known = ids.filter((id) => seen.has(hashOf(id)));
    assert.ok(known.length > 990, String(known.length));
    for (const id of ids) assert.ok(!seen.has(hashOf(`not ${id}`)));
  });

  it('keeps the later of two in the same slot', () => {
    const seen = new SeenAppKeys(1);
    seen.note(hashOf('a'));
    seen.note(hashOf('b'));
    assert.deepEqual([seen.has(hashOf('a')), seen.has(hashOf('b'))], [false, true]);
  });

  it('does not take an empty slot for a fingerprint of noughts', () => {
    const seen = new SeenAppKeys();
    const noughts = '0'.repeat(64);
    assert.ok(!seen.has(noughts));
    seen.note(noughts);
    assert.ok(seen.has(noughts));
  });
});
