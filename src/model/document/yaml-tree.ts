import type { Node, Pair, Scalar, YAMLMap } from 'yaml';
import { isJsonObject } from './json.ts';
import type { DocumentPath } from './problem.ts';
import { positionFinder, type DocumentSource, type Position, type UnreadSource } from './source-text.ts';
import { loadYaml } from './yaml-library.ts';
import { readYamlSyntax, type SyntaxFault } from './yaml-syntax.ts';

/** A fault of the tree at a place: a duplicate key, a tag, an alias without anchor. */
export interface TreeFault extends SyntaxFault {
  readonly path: DocumentPath;
}

/** One file as plain values, with the way back from a value to its place in the text. */
export interface YamlTree {
  readonly file: string;
  /** True for a value that was never a text: its places are paths instead of lines. */
  readonly isPlain?: boolean;
  /** What a store has in place of the value: what of it is beyond a bound may stay, or shrink. */
  readonly stored?: unknown;
  /** Objects, arrays, texts, numbers, booleans, null and `UNREADABLE`, shared where aliased; null without any value. */
  readonly value: unknown;
  /** Faults of the syntax; after the first of them the values may not be what the author meant. */
  readonly syntaxFaults: readonly SyntaxFault[];
  readonly treeFaults: readonly TreeFault[];
  positionOf(offset: number): Position;
  /** The place of a value or, for `key`, of the key before it; of the nearest parent when the path leads nowhere. */
  locate(path: DocumentPath, part: 'key' | 'value'): Position;
}

/** Stands for a value whose own fault has been reported: readers pass over it. */
export const UNREADABLE: unique symbol = Symbol('unreadable');

/** How another program reads YAML where it differs from YAML 1.2. */
export interface YamlDialect {
  /** The value of a scalar without quotes. Not for keys that merge. */
  readonly plainValue: (text: string) => unknown;
  /** Why a text cannot be a key, and what to do; null when it can. */
  readonly findKeyFault: (key: string) => string | null;
}

/** Values counted with every use of an alias: what a small text with nested aliases could grow to. */
export const MAX_VALUES = 4_000_000;

/**
 * Reads one file, with merge keys (`<<`) as YAML 1.1 has them, and all else as YAML 1.2 or the dialect has it. Never
 * throws, whatever the text; time and memory grow with the text, not with its aliases.
 */
export function readYamlTree(source: DocumentSource, dialect: YamlDialect | null = null): YamlTree {
  const syntax = readYamlSyntax(source.text);
  const positionOf = positionFinder(source.text);
  const converter = new Converter(positionOf, dialect);
  const root = syntax.document?.contents ?? null;
  const value = root === null ? null : converter.convert(root, []).value;
  return {
    file: source.file,
    value,
    syntaxFaults: syntax.faults,
    treeFaults: converter.faults,
    positionOf,
    locate: (path, part) => positionOf(converter.offsetOf(root, path, part)),
  };
}

/** The tree of a file that could not be read: its one fault counts as one of syntax. */
export function unreadTree({ file, line, message }: UnreadSource): YamlTree {
  const position = { line, column: 1 };
  return {
    file,
    value: null,
    syntaxFaults: [{ offset: 0, message }],
    treeFaults: [],
    positionOf: () => position,
    locate: () => position,
  };
}

/** A value and how many values it holds, itself and every use of an alias counted. */
interface Converted {
  readonly value: unknown;
  readonly size: number;
}

/** Owns the anchors met so far and the faults found on the way. */
class Converter {
  readonly faults: TreeFault[] = [];
  readonly #yaml = loadYaml();
  readonly #anchors = new Map<string, { readonly node: Node; converted: Converted | null }>();
  readonly #targets = new Map<Node, Node>();
  readonly #pairs = new Map<YAMLMap, Map<string, Pair>>();
  readonly #positionOf: (offset: number) => Position;
  readonly #dialect: YamlDialect | null;
  #values = 0;

  constructor(positionOf: (offset: number) => Position, dialect: YamlDialect | null) {
    this.#positionOf = positionOf;
    this.#dialect = dialect;
  }

  convert(node: Node, path: (string | number)[]): Converted {
    if (this.#yaml.isAlias(node)) return this.#resolve(node.source, node, path);
    if (node.tag !== undefined) {
      this.#fault(node, path, 'tags (!name) are not supported; remove it, or quote a text that begins with "!"');
    }
    const anchor = 'anchor' in node ? node.anchor : undefined;
    const entry = { node, converted: null as Converted | null };
    if (anchor !== undefined) this.#anchors.set(anchor, entry);
    const converted = this.#convertContent(node, path);
    entry.converted = converted;
    return converted;
  }

  #convertContent(node: Node, path: (string | number)[]): Converted {
    if (this.#yaml.isMap(node)) return this.#convertMap(node, path);
    if (this.#yaml.isSeq(node)) {
      const list: unknown[] = [];
      let size = 1;
      for (const [index, item] of node.items.entries()) {
        path.push(index);
        // In a flow list, `[a: b]` is a pair: a mapping of one key.
        const converted = this.#yaml.isNode(item) ? this.convert(item, path) : this.#convertPairItem(item, node, path);
        path.pop();
        list.push(converted.value);
        size += converted.size;
      }
      return { value: list, size };
    }
    this.#values += 1;
    return { value: this.#yaml.isScalar(node) ? this.#scalarOf(node) : null, size: 1 };
  }

  #scalarOf({ type, source, value }: Scalar): unknown {
    return this.#dialect !== null && type === 'PLAIN' ? this.#dialect.plainValue(source ?? '') : value;
  }

  #convertPairItem(item: unknown, list: Node, path: (string | number)[]): Converted {
    if (this.#yaml.isPair(item))
      this.#fault(this.#yaml.isNode(item.key) ? item.key : list, path, 'put { } around the keys of a list item');
    return { value: null, size: 1 };
  }

  #convertMap(map: YAMLMap, path: (string | number)[]): Converted {
    const object: Record<string, unknown> = {};
    let size = 1;
    let merged: readonly Readonly<Record<string, unknown>>[] | null = [];
    let firstMerge: Node | null = null;
    for (const pair of map.items) {
      const keyNode = this.#yaml.isNode(pair.key) ? pair.key : map;
      if (this.#isMergeKey(pair)) {
        if (firstMerge !== null) {
          const { line } = this.#positionOf(this.#startOf(firstMerge) ?? 0);
          const where = `first on line ${String(line)}`;
          this.#fault(keyNode, path, `"<<" appears twice in its mapping, ${where}; write <<: [*one, *other]`);
          continue;
        }
        firstMerge = keyNode;
        const sources = this.#convertMerge(keyNode, pair.value, path);
        merged = sources.mappings;
        size += sources.size;
        continue;
      }
      const key = this.#keyOf(keyNode, path);
      if (key === null) continue;
      path.push(key);
      const converted = this.#yaml.isNode(pair.value) ? this.convert(pair.value, path) : { value: null, size: 1 };
      size += converted.size;
      if (Object.hasOwn(object, key)) {
        const { line } = this.#positionOf(this.#startOf(this.#pairsOf(map).get(key)?.key) ?? 0);
        this.#fault(keyNode, path, `this key appears twice in its mapping, first on line ${String(line)}; keep one`);
      } else {
        object[key] = converted.value;
      }
      path.pop();
    }
    this.#values += 1;
    // What is missing may be in what could not be merged.
    if (merged === null) return { value: UNREADABLE, size };
    for (const source of merged) {
      for (const [key, value] of Object.entries(source)) if (!Object.hasOwn(object, key)) object[key] = value;
    }
    return { value: object, size };
  }

  /**
   * The mappings that a merge key (`<<`, https://yaml.org/type/merge.html) names, the strongest first. Keys of the
   * mapping itself are stronger than all of them, wherever they stand. Null, and a fault, when it names no mappings.
   */
  #convertMerge(
    key: Node,
    value: unknown,
    path: (string | number)[],
  ): { readonly mappings: readonly Readonly<Record<string, unknown>>[] | null; readonly size: number } {
    path.push(MERGE_KEY);
    const before = this.faults.length;
    const converted = this.#yaml.isNode(value) ? this.convert(value, path) : { value: null, size: 1 };
    const listed: readonly unknown[] = Array.isArray(converted.value) ? converted.value : [converted.value];
    const mappings = listed.filter(isJsonObject);
    if (mappings.length < listed.length && this.faults.length === before) {
      this.#fault(key, path, '"<<" merges mappings: write an alias of one (<<: *name), or a list of such aliases');
    }
    path.pop();
    return { mappings: mappings.length < listed.length ? null : mappings, size: converted.size };
  }

  /** The text of a key; null, and a fault, for an invalid key. */
  #keyOf(node: Node, path: DocumentPath): string | null {
    const value = this.#yaml.isScalar(node) ? this.#scalarOf(node) : null;
    const fault = typeof value === 'string' ? (this.#dialect?.findKeyFault(value) ?? null) : null;
    const isKey = this.#yaml.isScalar(node) && node.tag === undefined && value !== '__proto__' && fault === null;
    if (isKey && typeof value === 'string') {
      if (node.anchor !== undefined) this.#anchors.set(node.anchor, { node, converted: { value, size: 1 } });
      return value;
    }
    const advice = this.#yaml.isScalar(node) ? '; quote it' : ' (quote a value that begins with "{", "[", "*" or "?")';
    const message = fault ?? `this cannot be a key: a key is a text${advice}`;
    this.#fault(node, path, message);
    return null;
  }

  #resolve(name: string, alias: Node, path: DocumentPath): Converted {
    const nothing = { value: UNREADABLE, size: 1 };
    const anchor = this.#anchors.get(name);
    if (anchor === undefined) {
      this.#fault(alias, path, 'this alias (*name) has no anchor (&name) before it; quote a text that begins with "*"');
      return nothing;
    }
    if (anchor.converted === null) {
      this.#fault(alias, path, 'this alias (*name) is inside its own anchor (&name)');
      return nothing;
    }
    this.#targets.set(alias, anchor.node);
    this.#values += anchor.converted.size;
    if (this.#values > MAX_VALUES) {
      this.#fault(
        alias,
        path,
        `with its aliases the document holds more than ${String(MAX_VALUES)} values; use fewer aliases`,
      );
      return nothing;
    }
    return anchor.converted;
  }

  #fault(node: Node, path: DocumentPath, message: string): void {
    this.faults.push({ offset: this.#startOf(node) ?? 0, path: [...path], message });
  }

  /** The pairs of a mapping by key, the first of each, and merged ones; built only for the places of problems. */
  #pairsOf(map: YAMLMap): Map<string, Pair> {
    let pairs = this.#pairs.get(map);
    if (pairs === undefined) {
      pairs = new Map();
      for (const pair of map.items) {
        const key = this.#yaml.isScalar(pair.key) ? pair.key.value : null;
        if (typeof key === 'string' && !pairs.has(key)) pairs.set(key, pair);
      }
      const merge = map.items.find((pair) => this.#isMergeKey(pair))?.value;
      const sources = this.#yaml.isNode(merge) ? this.#contentOf(merge) : null;
      for (const source of this.#yaml.isSeq(sources) ? sources.items : [sources]) {
        const content = this.#yaml.isNode(source) ? this.#contentOf(source) : null;
        if (!this.#yaml.isMap(content)) continue;
        for (const [key, pair] of this.#pairsOf(content)) if (!pairs.has(key)) pairs.set(key, pair);
      }
      this.#pairs.set(map, pairs);
    }
    return pairs;
  }

  #contentOf(node: Node): Node {
    return this.#targets.get(node) ?? node;
  }

  offsetOf(root: Node | null, path: DocumentPath, part: 'key' | 'value'): number {
    let node = root;
    let offset = this.#startOf(root) ?? 0;
    for (const [index, step] of path.entries()) {
      const content = node === null ? null : this.#contentOf(node);
      const pair = this.#yaml.isMap(content) && typeof step === 'string' ? this.#pairsOf(content).get(step) : undefined;
      const item = this.#yaml.isSeq(content) && typeof step === 'number' ? content.items[step] : pair?.value;
      if (pair === undefined && item === undefined) return offset;
      const keyOffset = this.#startOf(pair?.key);
      const wantsKey = index === path.length - 1 && part === 'key';
      offset = (wantsKey ? keyOffset : null) ?? this.#startOf(item) ?? keyOffset ?? offset;
      node = this.#yaml.isNode(item) ? item : null;
    }
    return offset;
  }

  /** In quotes it is a key like any other. */
  #isMergeKey({ key }: Pair): boolean {
    return this.#yaml.isScalar(key) && key.value === MERGE_KEY && key.type === 'PLAIN' && key.tag === undefined;
  }

  #startOf(node: unknown): number | null {
    return this.#yaml.isNode(node) && node.range ? node.range[0] : null;
  }
}

const MERGE_KEY = '<<';
