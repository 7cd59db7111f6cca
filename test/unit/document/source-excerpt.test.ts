import assert from 'node:assert/strict';
import { excerptOf } from '../../../src/document/source-excerpt.ts';

/** The excerpt of the line that holds `^` in front of the place of the problem. */
function excerpt(marked: string): string | null {
  const lines = marked.split('\n');
  const index = lines.findIndex((line) => line.includes('^'));
  const column = (lines[index] ?? '').indexOf('^') + 1;
  const shown = excerptOf(
    lines.map((line) => line.replace('^', '')),
    { line: index + 1, column },
  );
  return shown === null ? null : `${shown.text.slice(0, shown.indent)}^${shown.text.slice(shown.indent)}`;
}

describe('the line of a problem', () => {
  it('is shown with its place', () => {
    assert.equal(excerpt('a: b\n  - ^id: Acme'), '  - ^id: Acme');
    assert.equal(excerpt('match: { hosts: [^a:80] }\r'), 'match: { hosts: [^a:80] }');
    assert.equal(excerpt('\tid: ^x'), ' id: ^x');
    assert.equal(excerpt('methods:\n  - GET\n  - ^"G T"'), '  - ^"G T"');
  });

  it('is cut before a value that could be a secret', () => {
    assert.equal(excerpt('{ method: key, appKey: abc, ^appSecret: def }'), '{ method: key, appKey: ^…');
    assert.equal(excerpt('^appSecrte: hunter22'), '^appSecrte: …');
    assert.equal(excerpt('{"method":^"hmca","appSecret":"abc"}'), '{"method":^"hmca","appSecret": …');
    assert.equal(excerpt("'appKey': ^abc"), "'appKey': ^…");
    assert.equal(excerpt('id: x, ^retiringSecret: { appSecret: abc }'), 'id: x, ^retiringSecret: …');
  });

  it('is not shown when it goes on with a value that could be a secret', () => {
    assert.equal(excerpt('appSecret: >\n  ^hunter22'), null);
    assert.equal(excerpt('appSecret: "hunter\n22^", id: x'), null);
    assert.equal(excerpt('appSecret:\n\n  - ^hunter22'), null);
    assert.equal(excerpt('^hunter22'), null);
  });

  it('is not shown when there is nothing to see', () => {
    assert.equal(excerpt('id: x\n  ^'), null);
    assert.equal(excerptOf([], { line: 3, column: 1 }), null);
  });

  it('is cut to a window when it is long, and cannot steer a terminal', () => {
    const long = excerpt(`hosts: [${'a, '.repeat(100)}^!, ${'b, '.repeat(100)}]`);
    assert.match(long ?? '', /^….{80}\^!.{79}…$/);
    assert.equal(excerpt('description: \u001b[31m^red\u202e'), 'description: \ufffd[31m^red\ufffd');
  });
});
