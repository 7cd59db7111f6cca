import assert from 'node:assert/strict';
import { readTree } from '../../../../src/model/document/read-tree.ts';
import { readYamlTree } from '../../../../src/model/document/yaml-tree.ts';

describe('reading a document that may be plain', () => {
  it('gives the values, the faults and the places that the YAML library gives', () => {
    for (const text of [
      'version: 1\nconsumers:\n  - id: acme # of {a} b\n    name: "Acme"\n',
      '{"version": 1, "consumers": [{"id": "acme"}]}',
      'consumers:\n  - &a { id: acme }\n  - *a\n',
      'consumers:\n  - id: acme\n    id: acme\n',
      'consumers:\n  - "acme\n',
      'consumers:\r  - acme\n',
      '# nothing\n',
      '',
    ]) {
      const source = { file: 'test.yaml', text };
      const [read, expected] = [readTree(source), readYamlTree(source)];
      assert.deepEqual(read.value, expected.value, text);
      assert.deepEqual([read.syntaxFaults, read.treeFaults], [expected.syntaxFaults, expected.treeFaults], text);
      for (const path of [[], ['consumers'], ['consumers', 0, 'id'], ['consumers', 1], ['nowhere']]) {
        assert.deepEqual(read.locate(path, 'key'), expected.locate(path, 'key'), text);
        assert.deepEqual(read.locate(path, 'value'), expected.locate(path, 'value'), text);
      }
      assert.deepEqual(read.positionOf(text.length), expected.positionOf(text.length), text);
    }
  });
});
