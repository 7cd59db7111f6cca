// `npm run docs`: the book as a site. CONTRIBUTING.md
import { join, resolve } from 'node:path';
import { runCommand } from './command.mjs';
import { buildSite } from './docs/build-site.mjs';
import { DocsFailure } from './docs/failure.mjs';
import { root } from './sbom/runtime-packages.mjs';

const usage = `Usage: npm run docs [-- --base PATH] [--out FOLDER]

Builds docs/ and the documents that it links to as a site of files, with a search that needs no server. Fails when a link
leads nowhere.

  --base PATH    where the site will be, such as /postern/ (default: /)
  --out FOLDER   where to write it (default: build/docs); what is there is replaced
  --root FOLDER  the project whose docs/ it is (default: this one)

Look at it with any server of files, such as: python3 -m http.server --directory build/docs

Exit codes: 0 built · 1 a link leads nowhere, or the site is incomplete · 2 usage
`;

await runCommand({
  usage,
  options: {
    base: { type: 'string', default: '/' },
    out: { type: 'string', default: join(root, 'build/docs') },
    root: { type: 'string', default: root },
  },
  check: ({ base }) => {
    if (!/^\/(?:[\w.~-]+\/)*$/.test(base)) throw new Error(`--base must begin and end with /, not "${base}"`);
  },
  Failure: DocsFailure,
  run: async (options) => {
    const out = resolve(options.out);
    const { pages, files } = await buildSite({ root: resolve(options.root), out, base: options.base });
    process.stdout.write(`${pages} pages, ${files} files that they link to: ${out}\n`);
  },
});
