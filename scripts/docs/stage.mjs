// What the site is made of: the pages with their links as the site has them, and the files that they link to.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { relative } from 'node:path/posix';
import { DocsFailure } from './failure.mjs';
import { findLinks, replaceLinks } from './links.mjs';
import { readContents } from './sidebar.mjs';

const contents = 'docs/README.md';
const isImage = (path) => /\.(?:svg|png)$/.test(path);
const isPage = (path) => path.endsWith('.md');

/** Where the site has a document: docs/ at the top, the rest of the project below repository/. */
function pageOf(path) {
  if (path === contents) return 'index.md';
  return path.startsWith('docs/') ? path.slice('docs/'.length) : `repository/${path}`;
}

/** Where the site has a file, as text, so that browsers show it; of a folder, the names in it. */
const fileOf = (path) => `repository/${path}.txt`;

/**
 * Reads docs/ and every document that a link leads to from there: `{ pages, images, files, sidebar }`. Each page is
 * `{ path, text }`, `images` are paths, and `files` are `{ path, text }`.
 *
 * @throws DocsFailure when a link leads to nothing
 */
export function readBook(root) {
  const problems = [];
  const texts = new Map();
  const images = new Set();
  const files = new Map();
  const queue = readdirSync(join(root, 'docs'), { recursive: true })
    .map((name) => `docs/${name}`)
    .filter(isPage)
    .sort();
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    if (texts.has(path)) continue;
    const text = readFileSync(join(root, path), 'utf8');
    texts.set(path, text);
    for (const link of findLinks(path, text)) {
      const target = resolveLink(root, link.path);
      if (target === null) problems.push(`${path}: ${link.href} leads to nothing`);
      else if (isPage(target)) queue.push(target);
      else if (isImage(target)) images.add(target);
      else if (!files.has(target)) files.set(target, readText(join(root, target)));
    }
  }
  if (problems.length > 0) throw new DocsFailure(problems.join('\n'));

  const hrefFrom = (document) => (link) => {
    const target = resolveLink(root, link.path);
    const from = dirname(pageOf(document));
    if (isPage(target)) return inFolder(relative(from, pageOf(target))) + link.anchor;
    if (isImage(target)) return inFolder(relative(from, pageOf(target)));
    return inFolder(relative(from, fileOf(target)));
  };
  return {
    pages: [...texts].map(([path, text]) => ({ path: pageOf(path), text: replaceLinks(path, text, hrefFrom(path)) })),
    images: [...images].map((path) => ({ from: path, path: pageOf(path) })),
    files: [...files].map(([path, text]) => ({ path: fileOf(path), text })),
    sidebar: readContents(contents, texts.get(contents)).map(({ text, links }) => ({
      text,
      collapsed: false,
      items: links.map((link) => ({ text: link.text, link: `/${pageOf(resolveLink(root, link.path))}${link.anchor}` })),
    })),
  };
}

const inFolder = (path) => (path.startsWith('.') ? path : `./${path}`);

/** The file of the project that a link means: of a folder its README, or the folder; null when there is neither. */
function resolveLink(root, path) {
  if (!existsSync(join(root, path))) return null;
  if (!statSync(join(root, path)).isDirectory()) return path;
  const readme = `${path}/README.md`;
  return existsSync(join(root, readme)) ? readme : path;
}

function readText(path) {
  if (!statSync(path).isDirectory()) return readFileSync(path, 'utf8');
  return `${readdirSync(path).sort().join('\n')}\n`;
}

/** Writes what the generator reads. */
export function writeStage({ pages, images, files }, root, stage) {
  const write = (path, text) => {
    mkdirSync(dirname(join(stage, path)), { recursive: true });
    writeFileSync(join(stage, path), text);
  };
  for (const { path, text } of pages) write(path, text);
  for (const { path, text } of files) write(`public/${path}`, text);
  for (const { from, path } of images) {
    mkdirSync(dirname(join(stage, path)), { recursive: true });
    cpSync(join(root, from), join(stage, path));
  }
}
