import assert from 'node:assert/strict';
import { findDocuments, findLinks } from '../../support/docs/documents.ts';

const contents = 'docs/README.md';

describe('the table of contents', () => {
  it('leads to every page of the book, once', () => {
    const pages = findDocuments().filter((path) => path.startsWith('docs/') && path !== contents);
    const linked = findLinks(contents).map(({ path }) => path);
    assert.deepEqual(linked.filter((path) => path.startsWith('docs/')).sort(), pages.toSorted());
  });
});
