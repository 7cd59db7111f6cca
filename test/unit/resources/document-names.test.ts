import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { documentNames } from '../../../src/resources/parse-document.ts';

describe('the names of the declarative document', () => {
  it('are those that its page has', () => {
    const page = readFileSync(new URL('../../../docs/declarative-file.md', import.meta.url), 'utf8');
    const example = (/```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? '').replaceAll(/#.*/g, '');
    const inExample = [...example.matchAll(/([A-Za-z]+):(?=\s)/g)].map(([, name = '']) => name);
    const rule = /^(?:\||-) `(?:[A-Za-z]+(?:\[\])?\.)?([A-Za-z]+)`/gm;
    const inRules = [...page.matchAll(rule)].map(([, name = '']) => name);
    assert.ok(inExample.length > 20 && inRules.length > 20, `${String(inExample.length)} ${String(inRules.length)}`);
    const labels = new Set(['tier', 'region', 'team']);
    const claims = new Set(['tenant', 'role', 'azp']);
    const absent = [...inExample, ...inRules].filter(
      (name) => !documentNames.has(name) && !labels.has(name) && !claims.has(name),
    );
    assert.deepEqual([...new Set(absent)], []);
  });
});
