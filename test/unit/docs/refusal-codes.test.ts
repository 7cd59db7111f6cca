import assert from 'node:assert/strict';
import { refusalCodes } from '../../../src/refusal.ts';
import { refusalAnswers } from '../../../src/respond/refusal-answers.ts';
import { readDocument, readTable } from '../../support/docs/documents.ts';

describe('the table of refusal codes in docs/behaviour.md', () => {
  it('says what callers are told, code by code', () => {
    const documented = readTable(readDocument('docs/behaviour.md'), 'Code');
    const inCode = refusalCodes.map((code) => {
      const { status, message } = refusalAnswers[code];
      return [`\`${code}\``, String(status), message];
    });
    assert.deepEqual(documented, inCode);
  });
});
