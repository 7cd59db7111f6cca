import assert from 'node:assert/strict';
import {
  addKey,
  type ChangedRing,
  newRing,
  promoteKey,
  removeKey,
} from '../../../../src/model/keyring/ring-content.ts';
import type { RingContent } from '../../../../src/model/keyring/ring-content.ts';
import { testRingKey } from '../../../support/keyring/test-key-ring.ts';

const one = newRing(testRingKey(1));
const staged = contentOf(addKey(one, testRingKey(2), 'staged'));
const two = contentOf(promoteKey(staged));

function contentOf(changed: ChangedRing): RingContent {
  assert.ok('content' in changed, JSON.stringify(changed));
  return changed.content;
}

/** The ring in short: `1* 2+` has the current key 1 and the staged key 2. */
function short({ currentKeyId, stagedKeyId, keys }: RingContent): string {
  const mark = (id: string): string => (id === currentKeyId ? '*' : id === stagedKeyId ? '+' : '');
  return keys.map(({ id }) => `${id.replace('test-key-', '')}${mark(id)}`).join(' ');
}

describe('changing a key ring', () => {
  it('begins with one key', () => {
    assert.equal(short(one), '1*');
  });

  it('adds a key that is current at once', () => {
    const changed = addKey(one, testRingKey(2), 'current');
    assert.equal(short(contentOf(changed)), '1 2*');
    assert.equal('keyId' in changed && changed.keyId, 'test-key-2');
  });

  it('adds a key before it becomes current', () => {
    assert.equal(short(staged), '1* 2+');
    assert.equal(short(two), '1 2*');
  });

  it('removes former and staged keys', () => {
    assert.equal(short(contentOf(removeKey(two, 'test-key-1'))), '2*');
    assert.equal(short(contentOf(removeKey(staged, 'test-key-2'))), '1*');
  });

  for (const [what, changed, kind, message] of [
    [
      'a second staged key',
      addKey(staged, testRingKey(3), 'staged'),
      'conflict',
      /test-key-2 is staged already; promote it/,
    ],
    [
      'a rotation past a staged key',
      addKey(staged, testRingKey(3), 'current'),
      'conflict',
      /test-key-2 is staged already/,
    ],
    ['an id twice', addKey(one, testRingKey(1), 'current'), 'conflict', /has a key test-key-1 already/],
    ['promoting nothing', promoteKey(one), 'conflict', /no key is staged; .*--stage/],
    ['removing the current key', removeKey(two, 'test-key-2'), 'conflict', /is the current key; rotate first/],
    [
      'removing what is not there',
      removeKey(two, 'test-key-3'),
      'not-found',
      /no key of this id; did you mean test-key-1\?/,
    ],
    ['removing something else', removeKey(two, 'zzz'), 'not-found', /no key of this id; see "postern keyring show"/],
  ] as const) {
    it(`refuses ${what}`, () => {
      assert.ok('kind' in changed);
      assert.equal(changed.kind, kind);
      assert.match(changed.message, message);
    });
  }
});
