import assert from 'node:assert/strict';
import { readDocument } from '../../support/docs/documents.ts';

interface Threat {
  readonly border: string;
  readonly letters: readonly string[];
  readonly stop: string;
  readonly tests: readonly string[];
}

/** The rows of the tables below the headings of borders: `| S | threat | what stops it | tests |`. */
function readThreats(): readonly Threat[] {
  const threats: Threat[] = [];
  let border = '';
  for (const line of readDocument('docs/threat-model.md').split('\n')) {
    if (line.startsWith('## ')) border = line.slice('## '.length);
    const [, letters = '', , stop = '', shown = ''] = line.split('|').map((cell) => cell.trim());
    if (!/^[A-Z](, [A-Z])*$/.test(letters)) continue;
    const tests = [...shown.matchAll(/\]\(\.\.\/(test\/[^)#]+)\)/g)].map(([, path = '']) => path);
    threats.push({ border, letters: letters.split(', '), stop, tests });
  }
  return threats;
}

describe('the threat model', () => {
  const threats = readThreats();

  it('looks at each border', () => {
    const borders = [...new Set(threats.map(({ border }) => border.slice(0, '(1)'.length)))];
    assert.deepEqual(borders, ['(1)', '(2)', '(3)', '(4)', '(5)']);
  });

  it('looks at each kind of threat of STRIDE, at the borders that attackers reach', () => {
    for (const border of ['(1)', '(4)']) {
      const letters = threats.filter((threat) => threat.border.startsWith(border)).flatMap((threat) => threat.letters);
      assert.deepEqual([...new Set(letters)].sort().join(''), 'DEIRST');
    }
  });

  it('names a test for each threat, or says that nothing stops it', () => {
    const unproven = threats.filter(({ tests, stop }) => tests.length === 0 && !stop.startsWith('nothing'));
    assert.deepEqual(unproven, []);
    assert.ok(threats.length > 40, 'the tables are no longer read');
  });
});
