import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readYamlTree } from '../../../../src/model/document/yaml-tree.ts';

/** The value of a faultless text, or its faults. */
function read(text: string): unknown {
  const { value, syntaxFaults, treeFaults } = readYamlTree({ file: 'test.yaml', text });
  const faults = [...syntaxFaults, ...treeFaults].map(({ message }) => message);
  return faults.length === 0 ? value : faults;
}

type Keys = Readonly<Record<string, number>>;
const keys: fc.Arbitrary<Keys> = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.nat(9), { maxKeys: 3 });

describe('merge keys', () => {
  it('are merged as YAML 1.1 has it: own keys first, then the sources in their order', () => {
    fc.assert(
      fc.property(
        fc.array(keys, { minLength: 1, maxLength: 4 }),
        keys,
        fc.nat(3),
        fc.boolean(),
        (all, own, at, deep) => {
          const sources = all.map((source, index) => `s${String(index)}: &s${String(index)} ${JSON.stringify(source)}`);
          const aliases = all.map((_, index) => `*s${String(index)}`);
          const merge = aliases.length === 1 ? `<<: ${aliases.join('')}` : `<<: [${aliases.join(', ')}]`;
          const written = Object.entries(own).map(([key, value]) => `${key}: ${String(value)}`);
          written.splice(Math.min(at, written.length), 0, merge);
          const text = `${sources.join('\n')}\nm: &m { ${written.join(', ')} }\nn: ${deep ? '{ <<: *m }' : '*m'}\n`;
          const expected = Object.assign({}, ...[...all].reverse(), own) as Keys;
          const { m, n } = read(text) as { m: Keys; n: Keys };
          assert.deepEqual([{ ...m }, { ...n }], [{ ...expected }, { ...expected }], text);
        },
      ),
    );
  });

  it('are merged in block style, inline, and as an empty list; in quotes they are keys', () => {
    assert.deepEqual(read('x: &x\n  a: 1\ny:\n  <<: *x\n  b: 2\n'), { x: { a: 1 }, y: { a: 1, b: 2 } });
    assert.deepEqual(read('{ <<: { a: 1 }, b: 2 }'), { a: 1, b: 2 });
    assert.deepEqual(read('{ <<: [], b: 2 }'), { b: 2 });
    assert.deepEqual(read('{ "<<": { a: 1 } }'), { '<<': { a: 1 } });
  });

  it('that merge nothing, or stand twice, are faults that name them', () => {
    for (const value of ['', '5', '[5]', '*x', '[*x, [*x]]']) {
      const faults = read(`x: &x text\ny: { <<: ${value} }\n`);
      assert.ok(Array.isArray(faults), value);
      assert.match(faults.join('\n'), /^"<<" merges mappings: write an alias of one/, value);
    }
    assert.deepEqual(read('x: &x { a: 1 }\ny:\n  <<: *x\n  <<: *x\n'), [
      '"<<" appears twice in its mapping, first on line 3; write <<: [*one, *other]',
    ]);
    assert.deepEqual(read('x: &x { <<: *x }\n'), ['this alias (*name) is inside its own anchor (&name)']);
  });

  it('leave places where the merged keys stand', () => {
    const text = 'x: &x\n  deep: { a: 1 }\ny:\n  b: 2\n  <<: [*x]\n';
    const tree = readYamlTree({ file: 'test.yaml', text });
    assert.deepEqual(tree.locate(['y', 'deep', 'a'], 'value'), { line: 2, column: 14 });
    assert.deepEqual(tree.locate(['y', 'b'], 'value'), { line: 4, column: 6 });
  });

  it('may name very many mappings', () => {
    const text = `x: &x { a: 1 }\ny: { <<: [${'*x, '.repeat(200_000)}] }\n`;
    assert.deepEqual(read(text), { x: { a: 1 }, y: { a: 1 } });
  });

  it('cost no more than the values that aliases may hold', () => {
    const chain = ['m0: &m0 { k0: 0 }'];
    for (let index = 1; index < 3000; index += 1) {
      const [own, before] = [String(index), String(index - 1)];
      chain.push(`m${own}: &m${own} { <<: *m${before}, k${own}: 0 }`);
    }
    const faults = read(chain.join('\n'));
    assert.match(String(faults), /with its aliases the document holds more than 4000000 values/);
  });
});
