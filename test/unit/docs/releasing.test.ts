import assert from 'node:assert/strict';
import { findDocuments, readDocument, readTable } from '../../support/docs/documents.ts';

const promises = readTable(readDocument('docs/releasing.md'), 'What you depend on');

/** The first cell of the row that begins so. */
function row(beginning: string): string {
  const found = promises.find(([what = '']) => what.replace(/^\[/, '').startsWith(beginning));
  assert.ok(found, beginning);
  return found[0] ?? '';
}

describe('docs/releasing.md', () => {
  it('says of everything what breaks it', () => {
    assert.ok(promises.length >= 15);
    for (const cells of promises) {
      assert.equal(cells.length, 2, cells[0]);
      for (const cell of cells) assert.notEqual(cell, '', cells[0]);
    }
  });

  it('promises every key of the metadata', () => {
    const keys = readTable(readDocument('docs/interfaces.md'), 'Key').flatMap(([names = '']) =>
      [...names.matchAll(/`([\w.]+)`/g)].map(([, key = '']) => key),
    );
    assert.ok(keys.length >= 7);
    for (const key of keys) assert.ok(row('metadata').includes(`\`${key}\``), key);
  });

  it('promises fields of the log that refusals have', () => {
    const shown = findDocuments().map(readDocument).join('\n');
    for (const [, field = ''] of row('log fields').matchAll(/`(\w+)`/g)) {
      assert.ok(shown.includes(`"${field}":`), field);
    }
  });
});
