import assert from 'node:assert/strict';
import { othersAccess } from '../../../../src/base/files/read-whole-file.ts';

describe('who else has access to a file with a secret', () => {
  const cases: readonly (readonly [title: string, uid: number, gid: number, mode: number, expected: string | null])[] =
    [
      ['its owner only', 1000, 1000, 0o100600, null],
      ['the group of its owner', 1000, 1000, 0o100640, '0640'],
      ['the group of root', 0, 0, 0o100440, '0440'],
      ['the group of a service, of which nothing else lets it read a file of root', 0, 65_532, 0o100440, null],
      ['that group, which may write, too', 0, 65_532, 0o100660, '0660'],
      ['that group and everyone else', 0, 65_532, 0o100444, '0444'],
    ];
  for (const [title, uid, gid, mode, expected] of cases) {
    it(`${title}: ${expected ?? 'nothing is said'}`, () => {
      assert.equal(othersAccess({ uid, gid, mode }), expected);
    });
  }
});
