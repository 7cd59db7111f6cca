import assert from 'node:assert/strict';
import { refusalAnswers } from '../../../src/check/refusal.ts';
import { readDocument } from '../../support/docs/documents.ts';

describe('the list of refusal codes in docs/behaviour.md', () => {
  const [, section = ''] = readDocument('docs/behaviour.md').split('\n## §5 Refusals\n');
  /** `- CODE STATUS: when`. */
  const documented = [...section.matchAll(/^- (`[A-Z_]+`) (\d{3}): (.+)/gm)].map(([, ...row]) => row);

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
