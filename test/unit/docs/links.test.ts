import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findAnchors, findDocuments, findLinks, projectRoot } from '../../support/docs/documents.ts';

describe('links between documents', () => {
  const links = findDocuments().flatMap(findLinks);

  it('lead to files that exist', () => {
    const dead = links.filter(({ path }) => !existsSync(join(projectRoot, path)));
    assert.deepEqual(
      dead.map(({ from, href }) => `${from}: ${href}`),
      [],
    );
  });

  it('lead to headings that exist', () => {
    const dead = links.filter(
      ({ path, anchor }) => anchor !== null && path.endsWith('.md') && !findAnchors(path).has(anchor),
    );
    assert.deepEqual(
      dead.map(({ from, href }) => `${from}: ${href}`),
      [],
    );
  });
});

describe('the documents', () => {
  it('are all found', () => {
    const documents = findDocuments();
    for (const document of ['README.md', 'docs/behaviour.md', 'docs/adr/0002-stages-as-typed-proof.md']) {
      assert.ok(documents.includes(document), `${document} is missing`);
    }
  });
});
