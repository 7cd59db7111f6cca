import assert from 'node:assert/strict';
import { findDocuments, findLinks } from '../../support/docs/documents.ts';

const contents = 'docs/README.md';

describe('the table of contents', () => {
  it('leads to every page of the book', () => {
    const pages = findDocuments().filter((path) => path.startsWith('docs/') && path !== contents);
    const linked = new Set(findLinks(contents).map(({ path }) => path));
    assert.deepEqual(
      pages.filter((path) => !linked.has(path)),
      [],
    );
  });
});
