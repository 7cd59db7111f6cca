import assert from 'node:assert/strict';
import { join } from 'node:path';
import { readImports } from '../../../../scripts/rooms/read-imports.mjs';
import { projectRoot } from '../../../support/docs/documents.ts';

const imports = readImports(join(projectRoot, 'src')).filter(({ isType, isLazy }) => !isType && !isLazy);

/** The files that a file needs before it runs: neither types alone nor what `import()` loads later. */
function filesLoadedWith(entry: string): ReadonlySet<string> {
  const loaded = new Set([entry]);
  // What is added meanwhile is visited too.
  for (const file of loaded) for (const { from, to } of imports) if (from === file) loaded.add(to);
  return loaded;
}

describe('what a method of authentication loads', () => {
  it('leaves explainers and presentations out of the service', () => {
    const loaded = filesLoadedWith('gateway/gateway.ts');
    assert.ok(loaded.has('check/methods/methods.ts'));
    const forPeople = [...loaded].filter((file) => /^check\/methods\/.*\b(explain|presentation)/.test(file));
    assert.deepEqual(forPeople, []);
  });

  it('reaches the hand-over', () => {
    const loaded = filesLoadedWith('partners/handover/handover-page.ts');
    assert.ok(loaded.has('check/methods/presentation/presentations.ts'));
  });
});
