import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot, readDocument } from '../../support/docs/documents.ts';

/** The sections of docs/behaviour.md that docstrings can cite: `3`, `3.2`, and `2.3` for an item of §2. */
function findSections(): ReadonlySet<string> {
  const sections = new Set<string>();
  let last = '';
  for (const line of readDocument('docs/behaviour.md').split('\n')) {
    const heading = /^#{2,3} §(\d(?:\.\d)?) /.exec(line);
    if (heading !== null) sections.add((last = heading[1] ?? ''));
    const item = /^(\d)\. /.exec(line);
    if (item !== null) sections.add(`${last}.${item[1] ?? ''}`);
  }
  return sections;
}

/** What the sources cite, with the file that does. */
function findCitations(pattern: RegExp): readonly { readonly file: string; readonly section: string }[] {
  const names = readdirSync(join(projectRoot, 'src'), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.ts') && !name.startsWith('gen'))
    .flatMap((file) => {
      const text = readFileSync(join(projectRoot, 'src', file), 'utf8');
      return [...text.matchAll(pattern)].map(([, section = '']) => ({ file, section }));
    });
}

describe('sections that docstrings cite', () => {
  it('are in docs/behaviour.md', () => {
    const sections = findSections();
    const lost = findCitations(/spec §(\d(?:\.\d)?)/g).filter(({ section }) => !sections.has(section));
    assert.deepEqual(lost, []);
  });

  it('are in docs/interfaces.md', () => {
    const sections = new Set([...readDocument('docs/interfaces.md').matchAll(/^## (\d)\. /gm)].map(([, n]) => n));
    const lost = findCitations(/interfaces §(\d)/g).filter(({ section }) => !sections.has(section));
    assert.deepEqual(lost, []);
  });
});
