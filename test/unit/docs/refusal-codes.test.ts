import assert from 'node:assert/strict';
import { refusalAnswers } from '../../../src/refusal.ts';
import { readDocument, readTable } from '../../support/docs/documents.ts';

describe('the table of refusal codes in docs/behaviour.md', () => {
  it('says what callers are told, code by code', () => {
    const documented = readTable(readDocument('docs/behaviour.md'), 'Code');
    const inCode = Object.entries(refusalAnswers).map(([code, { status, message }]) => [
      `\`${code}\``,
      String(status),
      message,
    ]);
    assert.deepEqual(documented, inCode);
  });
});
