// What a built site must have and must not have.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dirname, join as joinPath } from 'node:path/posix';

const htmlOf = (page) => page.replace(/\.md$/, '.html');

/**
 * What is wrong with a built site: pages that are missing or not searchable, links to nothing, other hosts. Of what
 * lies in the folder `apart`, which other tools wrote, only the hosts count.
 */
export function findFaults({ site, base, pages, apart = null }) {
  const all = readdirSync(site, { recursive: true });
  const read = (path) => readFileSync(join(site, path), 'utf8');
  const html = new Map(all.filter((path) => path.endsWith('.html')).map((path) => [path, read(path)]));
  const index = all
    .filter((path) => /@localSearchIndex[^/]*\.js$/.test(path))
    .map(read)
    .join('');
  const faults = [];
  if (index === '') faults.push('there is no search index');
  for (const page of pages.map(htmlOf)) {
    if (!html.has(page)) faults.push(`${page} is missing`);
    else if (!index.includes(`${base}${page === 'index.html' ? '' : page}`))
      faults.push(`${page} is not in the search index`);
  }
  for (const [path, text] of html) {
    faults.push(...foreignOf(text).map((address) => `${path} loads ${address}`));
    if (apart !== null && path.startsWith(`${apart}/`)) continue;
    faults.push(...deadLinksOf({ path, text, html, site, base }));
  }
  for (const path of all.filter((name) => name.endsWith('.css'))) {
    const loaded = [...read(path).matchAll(/(?:@import\s*["']|url\(["']?)((?:https?:)?\/\/[^"')]+)/g)];
    faults.push(...loaded.map(([, address]) => `${path} loads ${address}`));
  }
  return faults;
}

/** What a browser would load from another host for a page. */
function foreignOf(text) {
  const tags = text.match(/<(?:script|link|img|iframe|source|video|audio|object|embed)\b[^>]*>/g) ?? [];
  return tags.flatMap((tag) =>
    [...tag.matchAll(/(?:src|href|srcset|data)="((?:https?:)?\/\/[^"]*)"/g)].map(([, to]) => to),
  );
}

function deadLinksOf({ path, text, html, site, base }) {
  const faults = [];
  for (const [, href] of text.matchAll(/<a\b[^>]*? href="([^"]*)"/g)) {
    if (/^[a-z][a-z+.-]*:/i.test(href)) continue;
    const [file, anchor = ''] = href.split('#', 2);
    const target = file === '' ? path : pathOf(file, { path, base });
    if (target === null || !existsSync(join(site, target))) faults.push(`${path}: ${href} leads to nothing`);
    else if (anchor !== '' && !html.get(target)?.includes(` id="${decodeURIComponent(anchor)}"`)) {
      faults.push(`${path}: ${href} leads to no heading`);
    }
  }
  return faults;
}

/** The file of the site that an address leads to; null for one outside of it. */
function pathOf(file, { path, base }) {
  const whole = file.startsWith('/') ? file : `${base}${joinPath(dirname(path), file)}`;
  if (!whole.startsWith(base)) return null;
  const inside = decodeURIComponent(whole.slice(base.length));
  return inside === '' || inside.endsWith('/') ? `${inside}index.html` : inside;
}
