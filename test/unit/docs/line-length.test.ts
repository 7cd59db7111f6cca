import assert from 'node:assert/strict';
import { findDocuments, readDocument } from '../../support/docs/documents.ts';

/** As for code and comments; pictures, rows of tables and blocks of code have the length that they need. */
const MAX_COLUMNS = 120;

/** The long lines of a document, as `FILE:LINE`. A single word that is longer, such as an address, cannot be broken. */
function longLines(document: string): readonly string[] {
  let isCode = false;
  return readDocument(document)
    .split('\n')
    .flatMap((line, index) => {
      if (/^\s*(```|~~~)/.test(line)) isCode = !isCode;
      const isProse = !isCode && !/^\s*(\||#|!\[)/.test(line);
      const isBreakable = /\S\s+\S/.test(line.replace(/^\s*(?:- |\d+\. |> )?/, ''));
      return isProse && isBreakable && line.length > MAX_COLUMNS ? [`${document}:${String(index + 1)}`] : [];
    });
}

describe('lines of prose', () => {
  it('are at most 120 columns long', () => {
    assert.deepEqual(findDocuments().flatMap(longLines), []);
  });
});
