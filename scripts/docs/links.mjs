// Links of Markdown documents.
import { dirname, join } from 'node:path/posix';

/** Fenced blocks and code within lines: what looks like a link there is none. */
const code = /(^ *```.*?^ *```$|`[^`\n]*`)/gms;
const link = /\]\(([^)\s]+)\)/g;

/** A document's text with every link that leads into the project replaced by what `replace` gives for it. */
export function replaceLinks(document, text, replace) {
  const replaceIn = (prose) =>
    prose.replaceAll(link, (whole, href) => {
      if (/^[a-z][a-z+.-]*:/i.test(href) || href.startsWith('#')) return whole;
      const [file, anchor] = href.split('#', 2);
      const path = join(dirname(document), file).replace(/\/$/, '');
      return `](${replace({ href, path, anchor: anchor === undefined ? '' : `#${anchor}` })})`;
    });
  return text
    .split(code)
    .map((part, index) => (index % 2 === 1 ? part : replaceIn(part)))
    .join('');
}

/** The links of a document that lead into the project, in order: `{ href, path, anchor }`. */
export function findLinks(document, text) {
  const links = [];
  replaceLinks(document, text, (each) => {
    links.push(each);
    return each.href;
  });
  return links;
}

/** The anchor that GitHub makes of a heading; the site has the same, so that a link works in both. */
export function anchorOf(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}
