import assert from 'node:assert/strict';
import { findNotAgreed } from '../../../../../src/resources/changes/apply/keep-stopped.ts';
import type { Change } from '../../../../../src/resources/changes/change.ts';
import { consumer } from '../../../../support/pipeline/resources.ts';

describe('what was agreed to of an apply', () => {
  const stored = (enabled: boolean): NonNullable<Extract<Change, { kind: 'consumer' }>['before']> => ({
    resource: consumer({ enabled }),
    revision: 1,
    createdAt: 0,
    updatedAt: 0,
  });
  const changeOf = (before: boolean | null, after: boolean | null): Change => ({
    kind: 'consumer',
    id: 'acme',
    before: before === null ? null : stored(before),
    after: after === null ? null : consumer({ enabled: after, name: 'New' }),
  });

  it('is the same change of what others left, and less', () => {
    assert.equal(findNotAgreed([changeOf(true, true)], [changeOf(true, true)]), null);
    assert.equal(findNotAgreed([changeOf(true, true)], []), null);
    assert.equal(findNotAgreed([changeOf(true, true)], [changeOf(false, false)]), null);
    assert.equal(findNotAgreed([changeOf(false, true)], [changeOf(false, true)]), null);
  });

  it('is not to make again what was deleted, to delete what was not named, nor to bring back what was stopped since', () => {
    for (const beyond of [changeOf(null, true), changeOf(true, null), changeOf(false, true)]) {
      assert.equal(findNotAgreed([changeOf(true, true)], [beyond]), beyond);
    }
  });
});
