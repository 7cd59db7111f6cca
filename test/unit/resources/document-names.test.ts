import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { documentNames } from '../../../src/resources/parse-document.ts';

describe('the names of the declarative document', () => {
  it('are those that its page has', () => {
    const page = readFileSync(new URL('../../../docs/declarative-file.md', import.meta.url), 'utf8');
    const example = (/```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? '').replaceAll(/#.*/g, '');
    const inExample = [...example.matchAll(/([A-Za-z]+):(?=\s)/g)].map(([, name = '']) => name);
    const inTables = [...page.matchAll(/^\| `([A-Za-z]+)`/gm)].map(([, name = '']) => name);
    assert.ok(inExample.length > 20 && inTables.length > 20, `${String(inExample.length)} ${String(inTables.length)}`);
    const labels = new Set(['tier', 'region', 'team']);
    const absent = [...inExample, ...inTables].filter((name) => !documentNames.has(name) && !labels.has(name));
    assert.deepEqual([...new Set(absent)], []);
  });
});
