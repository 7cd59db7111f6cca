import { escapeInJson, escapeInYaml } from '../model/document/escape-invisible.ts';
import { isMapping } from '../model/document/fields.ts';
import { type LabelSelector, sortLabels } from '../model/labels.ts';
import type { Declared } from './declared.ts';

/** The parts of a declarative document, in its order, each read when it is its turn. */
export interface DocumentParts {
  /** Lines for people at the top of a YAML document; JSON has no place for them. */
  readonly comment: readonly string[];
  /** The labels that all of it carries; undefined for a document about everything. */
  readonly selector?: LabelSelector | undefined;
  readonly endpoints: AsyncIterable<Declared>;
  readonly issuers: AsyncIterable<Declared>;
  readonly consumers: AsyncIterable<Declared>;
  readonly grants: AsyncIterable<Declared>;
  readonly plans: AsyncIterable<Declared>;
}

const sections = ['endpoints', 'issuers', 'consumers', 'grants', 'plans'] as const;
/** What former versions do not know: left out while there is none, so that they read the document. */
const NEWER: readonly string[] = ['issuers', 'plans'];

/** Writes a declarative document (interfaces §4), piece by piece, so that any number of resources can be written. */
export async function* writeDocument(parts: DocumentParts, format: 'yaml' | 'json'): AsyncGenerator<string> {
  const selector = parts.selector === undefined ? undefined : sortLabels(parts.selector);
  const sorted = { ...parts, selector };
  yield* format === 'yaml' ? writeYaml(sorted) : writeJson(sorted);
}

async function* writeYaml(parts: DocumentParts): AsyncGenerator<string> {
  const { comment, selector } = parts;
  yield `${comment.map((line) => `# ${line}\n`).join('')}version: 1\n`;
  if (selector !== undefined) yield `selector: ${renderFlow(selector)}\n`;
  for (const section of sections) {
    let isEmpty = true;
    for await (const declared of parts[section]) {
      if (isEmpty) yield `${section}:\n`;
      isEmpty = false;
      yield section === 'grants' ? `  - ${renderFlow(declared)}\n` : `  - ${renderBlock(declared, 4).trimStart()}`;
    }
  }
}

async function* writeJson(parts: DocumentParts): AsyncGenerator<string> {
  yield '{\n  "version": 1';
  if (parts.selector !== undefined) yield `,\n  "selector": ${escapeInJson(JSON.stringify(parts.selector))}`;
  for (const section of sections) {
    const head = `,\n  "${section}": [`;
    let isEmpty = true;
    for await (const declared of parts[section]) {
      yield `${isEmpty ? head : ','}\n    ${escapeInJson(JSON.stringify(declared))}`;
      isEmpty = false;
    }
    if (!isEmpty) yield '\n  ]';
    else if (!NEWER.includes(section)) yield `${head}]`;
  }
  yield '\n}\n';
}

/** Words that some YAML reader takes for something else than a text. */
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** Texts without quotes: they begin with a letter or slash, and hold nothing that YAML gives a meaning. */
const PLAIN = /^[A-Za-z/](?:[\w./@+ -]*[\w./@+-])?$/;

/** Times, which declarative files have without quotes. */
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/;

/** Lists of mappings whose items are worth lines of their own. */
const BLOCK_LISTS: ReadonlySet<string> = new Set(['credentials']);

/** Flow values that would make a line longer than this are written as blocks. */
const MAX_LINE_LENGTH = 120;

/** A mapping of plain values as lines of YAML, each indented by so many blanks. */
function renderBlock(mapping: Readonly<Record<string, unknown>>, indent: number): string {
  return Object.entries(mapping)
    .map(([key, value]) => renderEntry(key, value, indent))
    .join('');
}

/** A value on one line. */
export function renderFlow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(renderFlow).join(', ')}]`;
  if (isMapping(value)) {
    const entries = Object.entries(value).map(([key, item]) => `${renderText(key)}: ${renderFlow(item)}`);
    return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
  }
  return typeof value === 'string' ? renderText(value) : String(value);
}

function renderEntry(key: string, value: unknown, indent: number): string {
  const head = `${' '.repeat(indent)}${renderText(key)}:`;
  if (Array.isArray(value) && value.length > 0) return renderList(key, head, value, indent);
  if (isMapping(value) && Object.keys(value).length > 0) return `${head}\n${renderBlock(value, indent + 2)}`;
  return `${head} ${renderFlow(value)}\n`;
}

function renderList(key: string, head: string, items: readonly unknown[], indent: number): string {
  const dash = `${' '.repeat(indent + 2)}- `;
  if (BLOCK_LISTS.has(key)) {
    const blocks = items.map((item) =>
      isMapping(item) ? renderBlock(item, indent + 4).trimStart() : renderFlow(item),
    );
    return `${head}\n${blocks.map((block) => `${dash}${block}`).join('')}`;
  }
  const flow = renderFlow(items);
  if (head.length + flow.length < MAX_LINE_LENGTH) return `${head} ${flow}\n`;
  return `${head}\n${items.map((item) => `${dash}${renderFlow(item)}\n`).join('')}`;
}

/** A text so that YAML 1.1 and 1.2 read it as that text, in a flow too. */
function renderText(text: string): string {
  if (TIME.test(text) || (PLAIN.test(text) && !RESERVED.test(text))) return text;
  // JSON's own escapes cover the rest, and are YAML's as well.
  return escapeInYaml(JSON.stringify(text));
}
