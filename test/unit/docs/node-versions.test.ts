import assert from 'node:assert/strict';
import { readDocument } from '../../support/docs/documents.ts';

interface Package {
  readonly engines: { readonly node: string };
}

describe('the versions of Node', () => {
  const { engines } = JSON.parse(readDocument('package.json')) as Package;

  it('are the same in package.json, its lock, and the pages that name them', () => {
    const [, minor = '', second = '', third = ''] =
      /^\^22\.(\d+)\.0 \|\| \^(\d+)\.0\.0 \|\| \^(\d+)\.0\.0$/.exec(engines.node) ?? [];
    assert.notEqual(third, '', engines.node);
    const words = `Node 22 (22.${minor} or newer), ${second} or ${third}`;
    for (const page of ['README.md', 'CONTRIBUTING.md', 'docs/quickstart.md']) {
      assert.ok(readDocument(page).includes(words), `${page} says: ${words}`);
    }
    const lock = JSON.parse(readDocument('package-lock.json')) as {
      readonly packages: Readonly<Record<string, Package>>;
    };
    assert.deepEqual(lock.packages['']?.engines, engines);
  });
});
