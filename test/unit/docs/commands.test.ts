import assert from 'node:assert/strict';
import { findDocuments, readDocument } from '../../support/docs/documents.ts';

/** The scripts of package.json by name. */
function readScripts(): Readonly<Record<string, unknown>> {
  const { scripts } = JSON.parse(readDocument('package.json')) as { readonly scripts: Record<string, unknown> };
  return scripts;
}

describe('commands in the documents', () => {
  it('are scripts that package.json has', () => {
    const scripts = readScripts();
    const unknown = findDocuments().flatMap((document) =>
      [...readDocument(document).matchAll(/npm run ([\w:-]+)/g)]
        .map(([, name = '']) => name)
        .filter((name) => !Object.hasOwn(scripts, name))
        .map((name) => `${document}: npm run ${name}`),
    );
    assert.deepEqual(unknown, []);
  });
});
