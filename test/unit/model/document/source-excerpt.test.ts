import assert from 'node:assert/strict';
import { excerptOf } from '../../../../src/model/document/source-excerpt.ts';
import { documentNames } from '../../../../src/resources/parse-document.ts';

/** The excerpt of the line that holds `^` in front of the place of the problem. */
function excerpt(marked: string): string | null {
  const lines = marked.split('\n');
  const index = lines.findIndex((line) => line.includes('^'));
  const column = (lines[index] ?? '').indexOf('^') + 1;
  const shown = excerptOf(
    lines.map((line) => line.replace('^', '')),
    { line: index + 1, column },
    documentNames,
  );
  return shown === null ? null : `${shown.text.slice(0, shown.indent)}^${shown.text.slice(shown.indent)}`;
}

describe('the line of a problem', () => {
  it('is shown with its known keys and its place', () => {
    assert.equal(excerpt('a: b\n  - ^id: Acme'), '  - ^id: …');
    assert.equal(excerpt('match: { hosts: [^a:80] }\r'), 'match: { hosts: [^…] }');
    assert.equal(excerpt('\tid: ^x'), ' id: ^…');
    assert.equal(excerpt('{"method":^"hmca","appSecret":"abc"}'), '{"method":^…,"appSecret":…}');
    assert.equal(excerpt('? id : { ^name: x'), '? id : { ^name: …');
  });

  it('holds no value, no key that is not known, and no word of a text', () => {
    assert.equal(excerpt('{ method: key, appKey: abc, ^appSecret: def }'), '{ method: …, appKey: …, ^appSecret: … }');
    assert.equal(excerpt('- { ^appSecret:hunter22 }'), '- { ^appSecret:… }');
    assert.equal(excerpt("'appKey': ^abc"), "'appKey': ^…");
    assert.equal(excerpt('id: x, ^retiringSecret: { appSecret: abc }'), 'id: …, ^retiringSecret: { appSecret: … }');
    assert.equal(excerpt('id: x, hunter22: { abc: ^def }, name: y'), 'id: ^… }, name: …');
    assert.equal(excerpt('id: hunter^22 # id'), 'id: ^…');
    assert.equal(excerpt('id: ]]]]]]]]^]] }}}}}}}} [[[[[[[['), 'id: ^…[[[');
  });

  it('is not shown without a known key', () => {
    assert.equal(excerpt('appSecrte: ^hunter22'), null);
    assert.equal(excerpt('appSecret: >\n  ^hunter22'), null);
    assert.equal(excerpt('methods:\n  - ^"G T"'), null);
    assert.equal(excerpt('^hunter22'), null);
    assert.equal(excerpt('id: x\n  ^'), null);
    assert.equal(excerptOf([], { line: 3, column: 1 }, documentNames), null);
  });

  it('is cut to a window when it is long, and cannot steer a terminal', () => {
    const long = excerpt(`{ ${'id: a, '.repeat(100)}^name: b, ${'id: c, '.repeat(100)} }`);
    assert.match(long ?? '', /^….{80}\^name: .*…$/);
    assert.equal(excerpt('description: \u001b[31m^red\u202e'), 'description: ^…');
  });
});
