import assert from 'node:assert/strict';
import { bounded, textBound } from '../../../../src/model/document/bounds.ts';
import { textField } from '../../../../src/model/document/fields.ts';
import { textBody } from '../../../../src/operators/api/request.ts';

describe('management API: a text of a body', () => {
  it('is as long as its field takes it, and no longer', () => {
    const body = textBody(bounded(textField, textBound(3)));
    assert.deepEqual(body.parse('abc'), 'abc');
    assert.match(body.safeParse('abcd').error?.message ?? '', /Too big: expected string to have <=3 characters/);
  });

  it('is none for a field without a bound', () => {
    assert.ok(!textBody(textField).safeParse('a').success);
  });
});
