import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const root = new URL('../../../../src/', import.meta.url);

/** The files that a file needs before it runs: neither types alone nor what `import()` loads later. */
function filesLoadedWith(entry: string): ReadonlySet<string> {
  const loaded = new Set<string>();
  const waiting = [new URL(entry, root)];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (loaded.has(file.pathname)) continue;
    loaded.add(file.pathname);
    const text = readFileSync(file, 'utf8');
    for (const [, path = ''] of text.matchAll(/^(?:import|export) (?!type )[^;]*?from '(\.[^']*)'/gm)) {
      waiting.push(new URL(path, file));
    }
  }
  return new Set([...loaded].map((path) => path.slice(root.pathname.length)));
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
