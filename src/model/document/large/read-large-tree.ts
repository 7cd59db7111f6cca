import type { DocumentPath } from '../problem.ts';
import { positionFinder, type DocumentSource, type Position } from '../source-text.ts';
import { findLoneReturn } from '../yaml-syntax.ts';
import { readYamlTree, type TreeFault, UNREADABLE, type YamlTree } from '../yaml-tree.ts';
import type { SyntaxFault } from '../yaml-syntax.ts';
import { readPlainYaml } from '../read-plain-yaml.ts';
import { type ItemList, splitBlockItems, splitJsonItems, type SplitText } from './split-items.ts';

/** More faulty items than these are not reported. */
const MAX_FAULTY_ITEMS = 20;

/** Items are read together up to so many characters: reading all at once takes 17 times the memory of the text. */
const BATCH_CHARACTERS = 256 * 1024;

/**
 * Reads a large document of the usual form, in JSON or with its resources as items of block lists, at least three times
 * as fast as `yaml` and with a tenth of the memory: `JSON.parse` or `js-yaml` give the values, and `yaml` reads only
 * odd items and finds places. Gives the result of `readYamlTree`, with the same positions; null when the text has
 * another form, or, with `give-up`, when an item is faulty. Anchors reach no further than the item that they are in.
 */
export function readLargeTree(source: DocumentSource, faulty: 'give-up' | 'report'): YamlTree | null {
  const { text } = source;
  const json = /^\s*\{/.test(text) && findLoneReturn(text) === null ? splitJsonItems(text) : null;
  const split = json?.split ?? splitBlockItems(text);
  if (split === null) return null;
  const positionOf = positionFinder(text);
  const findings: Findings = { faulty, positionOf, syntaxFaults: [], treeFaults: [] };
  const value = json?.value ?? readLists(source, split, findings);
  if (value === null) return null;
  const { syntaxFaults, treeFaults } = findings;
  const locate = locator(source, split, json !== null, positionOf);
  return { file: source.file, value, syntaxFaults, treeFaults, positionOf, locate };
}

interface Findings {
  readonly faulty: 'give-up' | 'report';
  readonly positionOf: (offset: number) => Position;
  readonly syntaxFaults: SyntaxFault[];
  readonly treeFaults: TreeFault[];
}

function readLists(source: DocumentSource, { version, selector, lists }: SplitText, findings: Findings): object | null {
  const value: Record<string, unknown> = version === null ? {} : { version: 1 };
  if (selector !== null) value['selector'] = selector.value;
  for (const list of lists) {
    const read = readItems(source, list, findings);
    if (read === null) return null;
    value[list.key] = read;
  }
  return value;
}

function readItems(source: DocumentSource, list: ItemList, findings: Findings): readonly unknown[] | null {
  const { bounds } = list;
  const values: unknown[] = [];
  let faultyCount = 0;
  for (let from = 0, to = 0; from < bounds.length - 1 && faultyCount < MAX_FAULTY_ITEMS; from = to) {
    to = batchEnd(bounds, from);
    const batch = readPlainYaml(source.text.slice(bounds[from], bounds[to]))?.value;
    if (Array.isArray(batch) && batch.length === to - from) {
      for (const value of batch as readonly unknown[]) values.push(value);
      continue;
    }
    for (let index = from; index < to && faultyCount < MAX_FAULTY_ITEMS; index += 1) {
      const item = readItem(source, list, index);
      if (item === null) {
        if (findings.faulty === 'give-up') return null;
        faultyCount += 1;
        reportFaults(source, list, index, findings);
      }
      values.push(item === null ? UNREADABLE : item.value);
    }
  }
  return values;
}

/** Where the items end that are read together with the one at `from`. */
function batchEnd(bounds: readonly number[], from: number): number {
  const limit = (bounds[from] ?? 0) + BATCH_CHARACTERS;
  let to = from + 1;
  while ((bounds[to + 1] ?? Infinity) <= limit) to += 1;
  return to;
}

/** Reads an item of a list with something odd in it; null when it is faulty. */
function readItem({ file, text }: DocumentSource, { bounds }: ItemList, index: number): { value: unknown } | null {
  const item = text.slice(bounds[index], bounds[index + 1]);
  const plain = readPlainYaml(item)?.value;
  if (Array.isArray(plain) && plain.length === 1) return { value: (plain as readonly unknown[])[0] };
  const tree = readYamlTree({ file, text: item });
  return isFaulty(tree) ? null : { value: (tree.value as readonly unknown[])[0] };
}

function isFaulty({ syntaxFaults, treeFaults, value }: YamlTree): boolean {
  return syntaxFaults.length > 0 || treeFaults.length > 0 || !Array.isArray(value) || value.length !== 1;
}

/** Reads a faulty item with as many lines before it as the document has, so that messages name the right ones. */
function reportFaults(source: DocumentSource, list: ItemList, index: number, findings: Findings): void {
  const [start = 0, end = 0] = [list.bounds[index], list.bounds[index + 1]];
  const above = '\n'.repeat(findings.positionOf(start).line - 1);
  const tree = readYamlTree({ file: source.file, text: above + source.text.slice(start, end) });
  const shift = start - above.length;
  for (const { offset, message } of tree.syntaxFaults) findings.syntaxFaults.push({ offset: offset + shift, message });
  for (const { offset, message, path } of tree.treeFaults) {
    findings.treeFaults.push({ offset: offset + shift, message, path: [list.key, index, ...path.slice(1)] });
  }
  if (tree.syntaxFaults.length === 0 && tree.treeFaults.length === 0) {
    findings.syntaxFaults.push({ offset: start, message: 'not valid YAML: this is not one item of a list' });
  }
}

/** Finds places as the YAML library gives them: by reading the one item again that the path leads into. */
function locator(
  { file, text }: DocumentSource,
  { version, selector, lists }: SplitText,
  isJson: boolean,
  positionOf: (offset: number) => Position,
): YamlTree['locate'] {
  const firstKey = Math.min(...[version, selector, ...lists].flatMap((each) => each?.keyOffset ?? []));
  const root = isJson ? text.indexOf('{') : firstKey;
  let last: { readonly start: number; readonly tree: YamlTree } | null = null;
  const treeAt = (start: number, end: number): YamlTree => {
    if (last?.start !== start) last = { start, tree: readYamlTree({ file, text: text.slice(start, end) }) };
    return last.tree;
  };
  const within = (start: number, end: number, path: DocumentPath, part: 'key' | 'value'): Position => {
    const base = positionOf(start);
    const { line, column } = treeAt(start, end).locate(path, part);
    return { line: base.line + line - 1, column: line === 1 ? base.column + column - 1 : column };
  };
  return (path: DocumentPath, part) => {
    const [key, index, ...rest] = path;
    const list = lists.find((each) => each.key === key);
    const top = key === 'version' ? version : key === 'selector' ? selector : (list ?? null);
    if (top === null) return positionOf(root);
    if (path.length === 1 && part === 'key') return positionOf(top.keyOffset);
    if (index !== undefined && key === 'selector' && selector !== null) {
      return within(selector.offset, selector.end, path.slice(1), part);
    }
    const start = typeof index === 'number' ? list?.bounds[index] : undefined;
    const end = typeof index === 'number' ? list?.bounds[index + 1] : undefined;
    if (start === undefined || end === undefined) return positionOf(top.offset);
    return within(start, end, isJson ? rest : [0, ...rest], part);
  };
}
