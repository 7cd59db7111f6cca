import assert from 'node:assert/strict';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { readPlainYaml } from '../../../../src/model/document/read-plain-yaml.ts';
import { readYamlTree } from '../../../../src/model/document/yaml-tree.ts';
import { documentArbitrary } from '../../../support/declarative/document-arbitrary.ts';
import { tampering, yamlMarks } from '../../../support/declarative/tampered-text.ts';

/** Fails unless both libraries find the text faultless and give the same values, or it is left to `yaml`. */
function agrees(text: string): boolean {
  const plain = readPlainYaml(text);
  if (plain === null) return false;
  const tree = readYamlTree({ file: 'test.yaml', text });
  assert.deepEqual([tree.syntaxFaults, tree.treeFaults], [[], []], text);
  assert.deepEqual(plain.value, tree.value, text);
  return true;
}

const scalars = [
  ...[
    'yes',
    'on',
    'null',
    'Null',
    '~',
    'TRUE',
    'False',
    '.inf',
    '-.INF',
    '.NaN',
    '+1',
    '-0',
    '0o7',
    '0x1F',
    '0b1',
    '08',
  ],
  ...['012', '1_000', '1.', '.5', '+.5', '1e3', '1E-3', '1e400', '-1e400', '12e4', '123456789012345678901234567890'],
  ...[
    '2027-01-01',
    '2027-01-01T00:00:00Z',
    '12:30:45',
    '<<',
    '=',
    '"\\u00e9"',
    '"\\x41"',
    '"\\/"',
    '"\\e"',
    "''",
    '"a" b',
  ],
];
/** Whole documents in every style, with comments, and as JSON. */
const documents = fc
  .record({
    document: documentArbitrary,
    indentSeq: fc.boolean(),
    collectionStyle: fc.constantFrom('any', 'block', 'flow'),
    lineWidth: fc.constantFrom(0, 30),
    comment: fc.constantFrom('', '# a\n', '# {a} b\n\n  # "c\n', '#\n# [d] e: f\n'),
    isJson: fc.boolean(),
  })
  .map(({ document, comment, isJson, ...style }) =>
    isJson
      ? JSON.stringify(document, null, style.lineWidth === 0 ? 2 : 0)
      : stringify(document, style).replaceAll(/^(?=consumers|grants|  - )/gm, comment),
  );
/** Lists of resources in every style, and of scalars, of marks, and of anything. */
const lists = fc.oneof(
  fc
    .record({
      document: documentArbitrary,
      key: fc.constantFrom('endpoints', 'consumers', 'grants'),
      indentSeq: fc.boolean(),
      collectionStyle: fc.constantFrom('any', 'block', 'flow'),
      defaultStringType: fc.constantFrom('PLAIN', 'QUOTE_DOUBLE', 'QUOTE_SINGLE', 'BLOCK_LITERAL', 'BLOCK_FOLDED'),
      lineWidth: fc.constantFrom(0, 30),
    })
    .map(({ document, key, ...style }) => stringify(document[key] ?? [], style)),
  fc.array(fc.constantFrom(...scalars, ...yamlMarks), { maxLength: 12 }).map((parts) => `- ${parts.join('')}`),
  fc
    .array(fc.constantFrom(...scalars), { minLength: 1, maxLength: 4 })
    .map((found) => found.map((each) => `- k: ${each}\n  x: [${each}, { y: ${each} }]\n  ${each}: z\n`).join('')),
  fc.json().map((json) => stringify([JSON.parse(json)])),
);

describe('reading plain YAML', () => {
  it('gives what the YAML library gives, or leaves a text to it, however it was damaged', function () {
    this.timeout(60_000);
    let readCount = 0;
    fc.assert(
      fc.property(lists, tampering([...scalars, ...yamlMarks], { maxLength: 3 }), (list, tamper) => {
        const text = tamper(list);
        // Items are read from where one begins.
        if (/^ *- /.test(text) && agrees(text)) readCount += 1;
      }),
      { numRuns: 1500 },
    );
    assert.ok(readCount > 100, String(readCount));
  });

  it('does the same with whole documents', function () {
    this.timeout(60_000);
    let readCount = 0;
    fc.assert(
      fc.property(documents, tampering([...scalars, ...yamlMarks], { maxLength: 3 }), (document, tamper) => {
        if (agrees(tamper(document))) readCount += 1;
      }),
      { numRuns: 500 },
    );
    assert.ok(readCount > 50, String(readCount));
  });

  it('passes over what comments hold', () => {
    assert.equal(agrees('# write {a} or [b] c\n- a\n   # { d } e\n- { f: g } # h\n'), true);
    assert.equal(readPlainYaml('- a:\n  - [GET] enabled: false # b\n'), null);
    assert.equal(readPlainYaml('- a: "b\n  # [c] d"\n'), null);
  });

  it('reads what is written usually', () => {
    for (const text of [
      '- id: orders\n  match: { paths: [{ prefix: /orders }] } # all\n  methods:\n    - GET\n',
      `- name: "Müller: Söhne"\n  '12': 'it''s'\n  at: 2027-01-01T00:00:00Z\n  port: 0o7\n  none:\n`,
    ]) {
      assert.equal(agrees(text), true, text);
    }
  });

  it('leaves to the YAML library what the two would not understand alike', () => {
    for (const text of [
      '- 1e400\n',
      '- a:\n  - "GET" enabled: false\n',
      '- a:\n  - "GET"enabled: false\n',
      '- a:\n  - [GET] enabled: false\n',
      '- a:\n  - { b: c }enabled: false\n',
      '- "a\nb"\n',
      '- [a: b]\n',
      '- |1\n  a\n  ',
      '- a\n\t\n',
      '- a\r- b\n',
      '- \ufeffa\n',
      '- <<: { a: b }\n  12: c\n',
      '- a: b\n  a: c\n',
      '- { __proto__: a }\n',
      '- &a b\n- *a\n',
      '- !!str 1\n',
      '---\n- a\n',
      '- a\n...\n',
      `- ${'['.repeat(17)}${']'.repeat(17)}\n`,
    ]) {
      assert.equal(readPlainYaml(text), null, text);
    }
  });
});
