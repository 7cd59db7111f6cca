// Building the site with VitePress.
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as generate } from 'vitepress';
import { API_FOLDER, apiPage, buildApis } from './api/build-apis.mjs';
import { findFaults } from './check-site.mjs';
import { DocsFailure } from './failure.mjs';
import { readBook, writeStage } from './stage.mjs';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/**
 * Builds the site of the project at `root` into `out`, which is replaced, and gives the numbers of its `pages` and
 * `files`, and with `hasApis` what became of each client's API documentation, as {@link buildApis} has it.
 *
 * @throws DocsFailure when a link leads nowhere, or the site lacks something
 */
export async function buildSite({ root, out, base, hasApis = false }) {
  const book = readBook(root);
  const apis = hasApis ? await buildApis(root) : { outcomes: [], folder: null };
  if (hasApis) addPage(book, apiPage(apis.outcomes));
  // Within the project, because pages import the generator's libraries.
  const build = here('../../build');
  mkdirSync(build, { recursive: true });
  const stage = mkdtempSync(join(build, 'stage-'));
  try {
    writeStage(book, root, stage);
    writeSettings(stage, { sidebar: book.sidebar, base, out });
    rmSync(out, { recursive: true, force: true });
    await generate(stage, { outDir: out }).catch((error) => {
      throw new DocsFailure(error.message);
    });
    if (apis.folder !== null) cpSync(apis.folder, join(out, API_FOLDER), { recursive: true });
  } finally {
    rmSync(stage, { recursive: true, force: true });
    if (apis.folder !== null) rmSync(apis.folder, { recursive: true, force: true });
  }
  const faults = findFaults({ site: out, base, pages: book.pages.map(({ path }) => path), apart: API_FOLDER });
  if (faults.length > 0) throw new DocsFailure(faults.join('\n'));
  return { pages: book.pages.length, files: book.files.length + book.images.length, apis: apis.outcomes };
}

/** Adds a page to the book, behind the clients in the sidebar. */
function addPage(book, text) {
  book.pages.push({ path: 'clients-api.md', text });
  const group = book.sidebar.find(({ items }) => items.some(({ link }) => link.endsWith('/clients/README.md')));
  group?.items.push({ text: 'API of the signing clients', link: '/clients-api.md' });
}

/** VitePress reads its configuration and its theme from the folder of the pages. */
function writeSettings(stage, settings) {
  const theme = join(stage, '.vitepress/theme');
  mkdirSync(theme, { recursive: true });
  writeFileSync(
    join(stage, '.vitepress/config.mjs'),
    `import { siteConfig } from ${JSON.stringify(here('site-config.mjs'))};
export default siteConfig(${JSON.stringify(settings)});
`,
  );
  writeFileSync(
    join(theme, 'index.mjs'),
    `import theme from 'vitepress/theme-without-fonts';
import './style.css';
export default theme;
`,
  );
  copyFileSync(here('style.css'), join(theme, 'style.css'));
}
