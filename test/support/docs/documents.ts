import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the project. */
export const projectRoot = fileURLToPath(new URL('../../..', import.meta.url));

const NOT_OURS = new Set(['node_modules', 'dist', 'coverage', 'gen', 'vendor', 'target']);

/** The Markdown documents of the project, as paths from its root. */
export function findDocuments(directory: string = projectRoot): readonly string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return entry.name.startsWith('.') || NOT_OURS.has(entry.name) ? [] : findDocuments(path);
    return entry.name.endsWith('.md') ? [relative(projectRoot, path)] : [];
  });
}

/** The text of a document, by its path from the root. */
export function readDocument(path: string): string {
  return readFileSync(join(projectRoot, path), 'utf8');
}

/** The rows of the table whose first heading is `heading`, below its head: one text per cell. */
export function readTable(markdown: string, heading: string): readonly (readonly string[])[] {
  const lines = markdown.split('\n');
  const head = lines.findIndex((line) => line.startsWith(`| ${heading} |`));
  if (head === -1) throw new Error(`there is no table that begins with "${heading}"`);
  const rows: string[][] = [];
  for (const line of lines.slice(head + 2)) {
    if (!line.startsWith('|')) break;
    const cells = line.split(/(?<!\\)\|/).slice(1, -1);
    rows.push(cells.map((cell) => cell.trim().replaceAll('\\|', '|')));
  }
  return rows;
}

/** The fenced blocks of a language, in order. */
export function readFences(markdown: string, language: string): readonly string[] {
  return [...markdown.matchAll(/^( *)```(\w*)\n(.*?)^\1```$/gms)].flatMap(([, indent = '', word = '', text = '']) =>
    word === language ? [text.replaceAll(new RegExp(`^${indent}`, 'gm'), '')] : [],
  );
}

/** A link of a document to another file or to a heading, with the document it stands in. */
export interface DocumentLink {
  readonly from: string;
  /** As written. */
  readonly href: string;
  /** The file it leads to, from the root of the project. */
  readonly path: string;
  /** The heading it leads to, without `#`; null when it names none. */
  readonly anchor: string | null;
}

/** The links of a document that lead into the project. Code is left out. */
export function findLinks(document: string): readonly DocumentLink[] {
  const text = withoutCode(readDocument(document));
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, href = '']) => {
    if (/^[a-z][a-z+.-]*:/i.test(href)) return [];
    const [file = '', anchor = null] = href.split('#', 2);
    const path = file === '' ? document : join(dirname(document), file);
    return [{ from: document, href, path, anchor }];
  });
}

/** The anchors that GitHub makes of a document's headings. */
export function findAnchors(document: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of readDocument(document)
    .replaceAll(/^```.*?^```$/gms, '')
    .matchAll(/^#{1,6} +(.*)$/gm)) {
    anchors.add(anchorOf(heading));
  }
  return anchors;
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}

function withoutCode(markdown: string): string {
  return markdown.replaceAll(/^ *```.*?^ *```$/gms, '').replaceAll(/`[^`\n]*`/g, '');
}
