import assert from 'node:assert/strict';
import { refusalAnswers } from '../../../src/check/refusal.ts';
import { readDocument, readTable } from '../../support/docs/documents.ts';

describe('the table of refusal codes in docs/behaviour.md', () => {
  const documented = readTable(readDocument('docs/behaviour.md'), 'Code');

  it('has every code with its status, and no other', () => {
    const inCode = Object.entries(refusalAnswers).map(([code, { status }]) => [`\`${code}\``, String(status)]);
    assert.deepEqual(
      documented.map(([code, status]) => [code, status]),
      inCode,
    );
  });

  it('says of each when callers get it', () => {
    for (const [code, , when = ''] of documented) assert.notEqual(when, '', code);
  });
});
