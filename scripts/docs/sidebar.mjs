// The order of the pages, which docs/README.md owns.
import { findLinks } from './links.mjs';

/**
 * The groups of the contents: one for each heading of the second level, with the links below it in their order.
 * `{ text, links: [{ text, href, path, anchor }] }`
 */
export function readContents(document, text) {
  return text
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [heading] = section.split('\n', 1);
      const links = findLinks(document, section);
      const texts = [...section.matchAll(/\[([^\]]+)\]\(/g)].map(([, label]) => label.replaceAll('`', ''));
      return { text: heading.trim(), links: links.map((each, index) => ({ ...each, text: capital(texts[index]) })) };
    });
}

const capital = (text) => (/^[a-z]+[,/]/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1));
