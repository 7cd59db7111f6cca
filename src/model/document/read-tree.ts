import { readPlainYaml } from './read-plain-yaml.ts';
import { type DocumentSource, positionFinder } from './source-text.ts';
import { readYamlTree, type YamlTree } from './yaml-tree.ts';

/**
 * Reads one file like `readYamlTree`, with the same result. The library `yaml` is loaded only for a text that
 * `readPlainYaml` leaves to it, and to find a place: most texts are plain and faultless.
 */
export function readTree(source: DocumentSource): YamlTree {
  const plain = readPlainYaml(source.text);
  if (plain === null) return readYamlTree(source);
  let placed: YamlTree | null = null;
  return {
    file: source.file,
    value: plain.value,
    syntaxFaults: [],
    treeFaults: [],
    positionOf: positionFinder(source.text),
    locate: (path, part) => (placed ??= readYamlTree(source)).locate(path, part),
  };
}
