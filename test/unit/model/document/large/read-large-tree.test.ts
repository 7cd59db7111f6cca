import assert from 'node:assert/strict';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { readLargeTree } from '../../../../../src/model/document/large/read-large-tree.ts';
import type { DocumentPath } from '../../../../../src/model/document/problem.ts';
import type { Position } from '../../../../../src/model/document/source-text.ts';
import { readYamlTree } from '../../../../../src/model/document/yaml-tree.ts';
import { documentArbitrary } from '../../../../support/declarative/document-arbitrary.ts';
import { tampering, yamlMarks } from '../../../../support/declarative/tampered-text.ts';

/** Every path of a value, and one that leads nowhere. */
function* pathsOf(value: unknown, path: DocumentPath = []): Generator<DocumentPath> {
  yield path;
  yield [...path, 'nowhere'];
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* pathsOf(item, [...path, index]);
    yield [...path, value.length];
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) yield* pathsOf(item, [...path, key]);
  }
}

/** Fails unless the text gives what the YAML library makes of it, or is left to the library. Tells whether it was read. */
function agrees(text: string): boolean {
  const source = { file: 'test.yaml', text };
  const read = readLargeTree(source, 'give-up');
  if (read === null) return false;
  const expected = readYamlTree(source);
  assert.deepEqual([read.syntaxFaults, read.treeFaults], [expected.syntaxFaults, expected.treeFaults]);
  assert.deepEqual(read.value, expected.value);
  for (const path of pathsOf(read.value)) {
    for (const part of ['key', 'value'] as const) {
      const place: Position = read.locate(path, part);
      const wanted: Position = expected.locate(path, part);
      // Compared by hand: there are hundreds of places in each of thousands of documents.
      if (place.line === wanted.line && place.column === wanted.column) continue;
      assert.deepEqual(place, wanted, `${part} of ${JSON.stringify(path)}`);
    }
  }
  return true;
}

const usual = `# A comment: first
version: 1   # the only one
selector: { team: payments, "a: b": 'c # d', on: "1" }  # of {one} team

endpoints:
  # another comment
  - id: orders
    description: "Orders: all of them"
    match:
      paths: [{ prefix: /orders }, { exact: "/a b" }]
      methods:
      - GET
      - POST
    enabled: true
  - { id: open, scenario: open, match: { paths: [] } }
consumers:
- id: acme

  name: >
    folded
    - over lines

  labels: { tier: gold, "12": '12', on: "yes" }
  credentials:
    - id: 3f0c12
      appKey: 12e4
      expiresAt: 2027-01-01T00:00:00Z
# grants:
- id: blue
  description: |+
    kept

grants:
    - endpoint: orders
      consumer: acme
      limits: [ { requests: 5, unit: minute, per: consumer }, ]
`;

describe('reading large documents', () => {
  it('reads the usual forms as the YAML library does, to the position', () => {
    assert.equal(agrees(usual), true);
    assert.equal(agrees('version: 1\nconsumers:\n  - id: a\n'), true);
    assert.equal(agrees('{"selector": {"team": "}", "selector": "a"}, "consumers": [{}], "version": 1}'), true);
    assert.equal(agrees('{ "consumers": [{}],\n "selector" :\n {\n "team" : "a" } }'), true);
    assert.equal(agrees('consumers:\n- a\nselector: {}\ngrants:\n- b'), true);
    assert.equal(agrees('grants:\n- {a: b}\n-\n- x\n- "y"\nversion: 1'), true);
  });

  it('leaves everything unusual outside of the lists to the library', () => {
    for (const text of [
      '',
      '---\nversion: 1\n',
      'version: 1\nconsumers: []\n',
      'version: 2\nconsumers:\n  - id: a\n',
      'version: 1\nselector:\n  team: a\nconsumers:\n  - id: a\n',
      'selector: { team: 1 }\nconsumers:\n  - id: a\n',
      'selector: { team: a }\nselector: { team: a }\nconsumers:\n  - id: a\n',
      'selector: { team: a } b\nconsumers:\n  - id: a\n',
      'version: 1\nconsumers:\n',
      'version: 1\nconsumers:\n  - id: a\n other: b\n',
      'version: 1\nconsumers:\n  - id: a\nconsumers:\n  - id: b\n',
      'version: 1\nconsumers:\n  [\n  ]\n',
      'version: 1\nconsumers:\n  - id: a\n  ...\n',
      'version: 1\nconsumers:\n- id: a\n---\n',
      'version: 1\r\nconsumers:\r\n  - id: a\r\n',
      'version: 1\nconsumers:\n  - id: a\n\t\n',
      'version: 1\nconsumers: &c\n  - id: a\n',
      '"version": 1\nconsumers:\n  - id: a\n',
      '? version\n: 1\nconsumers:\n  - id: a\n',
      'version: 1\nconsumers:\n  - id: a\nversion: 1\n',
    ]) {
      assert.equal(agrees(text), false, text);
    }
  });

  it('takes for a line what YAML takes for one: U+2028, U+2029 and U+0085 end none', () => {
    for (const character of ['\u2028', '\u2029', '\u0085']) {
      agrees(
        `version: 1\nendpoints:\n  - id: e1\n    match:${character}\n      paths:\n        - prefix: /\n    enabled: false\nconsumers:\n  - id: acme\n    name: Acme\n`,
      );
    }
  });

  it('gives up on keys that stand twice, in every form', () => {
    for (const text of [
      'version: 1\nconsumers:\n  - { id: a, id: b }\n',
      'version: 1\nconsumers:\n  - id: a\n    labels: { "x": y, x: z }\n',
      'version: 1\nconsumers:\n  - id: a\n    id: b\n',
      '{"version": 1, "consumers": [{"id": "a", "id": "b"}]}',
      '{"version": 1, "consumers": [{"id": "a", "\\u0069d": "b"}]}',
      '{"version": 1, "consumers": [], "consumers": []}',
      '{"version": 1, "version": 1, "consumers": []}',
    ]) {
      assert.equal(agrees(text), false, text);
    }
    assert.equal(agrees('{"version": 1, "consumers": [{"id": "a", "credentials": []}, {}]}'), true);
    assert.equal(agrees('{"version": 1, "selector": {"selector": "x", "selector": "y"}, "consumers": []}'), false);
  });

  it('gives up on faulty items, or reports them in their lines', () => {
    for (const item of ['id: "a', 'id: a\n    id: b', 'id: *a', 'id: !x a', '{ a: b', 'id: a: b', 'id: @a']) {
      const text = `version: 1\nconsumers:\n  - id: first\n  - ${item}\n  - id: last\n`;
      const source = { file: 'test.yaml', text };
      assert.equal(readLargeTree(source, 'give-up'), null, item);
      const told = readLargeTree(source, 'report');
      const [fault] = [...(told?.syntaxFaults ?? []), ...(told?.treeFaults ?? [])];
      assert.ok(fault !== undefined && told !== null, item);
      assert.ok(told.positionOf(fault.offset).line >= 4 && told.positionOf(fault.offset).line <= 6, item);
    }
    const twice = readLargeTree(
      { file: 'test.yaml', text: 'version: 1\nconsumers:\n  - id: a\n  - id: b\n    id: c\n' },
      'report',
    );
    assert.match(twice?.treeFaults[0]?.message ?? '', /first on line 4/);
    assert.deepEqual(twice?.treeFaults[0]?.path, ['consumers', 1, 'id']);
  });

  it('reads any document as the YAML library does, however it is written', () => {
    const options = fc.record({
      indentSeq: fc.boolean(),
      collectionStyle: fc.constantFrom('any', 'block'),
      defaultStringType: fc.constantFrom('PLAIN', 'QUOTE_DOUBLE', 'QUOTE_SINGLE', 'BLOCK_LITERAL'),
      lineWidth: fc.constantFrom(0, 30),
      flowCollectionPadding: fc.boolean(),
    });
    let readCount = 0;
    fc.assert(
      fc.property(documentArbitrary, options, (document, style) => {
        if (agrees(stringify(document, style))) readCount += 1;
        if (agrees(JSON.stringify(document, null, style.lineWidth === 0 ? 2 : 0))) readCount += 1;
      }),
      { numRuns: 100 },
    );
    assert.ok(readCount > 75, String(readCount));
  });

  it('reads texts that were tampered with as the YAML library does, or not at all', () => {
    const texts = fc.oneof(
      fc.constant(usual),
      documentArbitrary.map((document) => stringify(document)),
      documentArbitrary.map((document) => JSON.stringify(document, null, 1)),
    );
    fc.assert(
      fc.property(texts, tampering(yamlMarks, { minLength: 1, maxLength: 4 }), (text, tamper) => {
        agrees(tamper(text));
      }),
      { numRuns: 400 },
    );
  });

  it('reads JSON scalars as the YAML library does', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 3 }), (json) => {
        agrees(`{"version": 1, "consumers": [${json}, ${json}]}`);
      }),
      { numRuns: 150 },
    );
  });

  it('reads scalars without quotes as the YAML library does', () => {
    const scalar = fc.oneof(
      fc.stringMatching(/^[0-9a-fexXobT:Z._+-]{1,12}$/),
      fc.stringMatching(/^[\w ./@:#'",[\]{}&*!|>%~-]{1,12}$/),
      fc.constantFrom(
        'null',
        'Null',
        'TRUE',
        'False',
        'yes',
        '.inf',
        '.NaN',
        '0o7',
        '0x1F',
        '1_000',
        '08',
        '-1',
        '1.5',
        '2027-01-01',
        '123456789012345678',
      ),
    );
    fc.assert(
      fc.property(scalar, scalar, (a, b) => {
        agrees(
          `version: 1\nconsumers:\n  - ${a}: ${b}\n  - x: ${a}\n    y: [${a}, ${b}]\n  - { ${a}: ${b} }\n  - ${b}\n`,
        );
      }),
      { numRuns: 500 },
    );
  });
});
