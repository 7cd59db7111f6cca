import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importsOf, listSources, readImports } from '../../../scripts/rooms/read-imports.mjs';
import { readPlainYaml } from '../../../src/model/document/read-plain-yaml.ts';
import { projectRoot } from '../../support/docs/documents.ts';

const src = join(projectRoot, 'src');
const imports = readImports(src).filter(({ isType, isLazy }) => !isType && !isLazy);

/** The packages that a file needs before it runs. */
function packagesOf(file: string): readonly string[] {
  return importsOf(file, readFileSync(join(src, file), 'utf8')).flatMap(({ specifier, isType, isLazy }) =>
    isType || isLazy || /^(?:\.|node:)/.test(specifier) ? [] : [specifier],
  );
}

describe('what "postern validate FILE" loads', () => {
  const loaded = new Set(['main.ts', 'cli/program.ts', 'cli/validate.ts']);
  // What is added meanwhile is visited too.
  for (const file of loaded) for (const { from, to } of imports) if (from === file) loaded.add(to);

  it('is what reads documents, and no settings, key rings or stores', () => {
    assert.ok(loaded.has('resources/parse-document.ts'));
    const others = [...loaded].filter((file) => /^(?:gateway|stores|operators|partners|model\/keyring)\//.test(file));
    assert.deepEqual(others, []);
    const packages = new Set([...loaded].flatMap(packagesOf));
    assert.deepEqual([...packages].sort(), ['commander', 'js-yaml', 'picocolors']);
  });

  it('is not the library "yaml" for the document of the demo', () => {
    assert.notEqual(readPlainYaml(readFileSync(join(projectRoot, 'examples/demo/postern.yaml'), 'utf8')), null);
  });
});

describe('the library "yaml"', () => {
  it('is loaded by loadYaml when a text or an output asks for it, and by the demo', () => {
    const importers = listSources(src).filter((file) => packagesOf(file).includes('yaml'));
    assert.deepEqual(importers, ['cli/demo/demo-document.ts', 'cli/demo/mutual-tls-listener.ts']);
  });
});
