import assert from 'node:assert/strict';
import { replaceFound, withoutBlock } from '../../../../src/cli/snippet/text-blocks.ts';

const yaml = `a: # first
  b:
    - name: one
      deep: 1

    - name: two # the other
      deep: 2
c: 3
`;

describe('a block of YAML', () => {
  it('is taken out with all that is below it, and nothing else', () => {
    assert.equal(withoutBlock(yaml, 'a:'), 'c: 3\n');
    assert.equal(withoutBlock(yaml, '    - name: one'), yaml.replace(/ {4}- name: one\n.*\n\n/, ''));
    assert.equal(withoutBlock('a: 1\nb:\n  c: 2\n', 'b:'), 'a: 1\n');
  });

  it('that is not there is told', () => {
    assert.throws(() => withoutBlock(yaml, 'd:'), /no line begins with "d:"/);
  });

  it('is replaced wherever it is found, as it is written', () => {
    assert.equal(
      replaceFound(yaml, /deep: \d/g, "$& $'"),
      yaml.replaceAll(/deep: \d/g, () => "$& $'"),
    );
    assert.throws(() => replaceFound(yaml, /deeper/g, ''), /nothing matches/);
  });
});
