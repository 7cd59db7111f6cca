// `npm run docs`: the book as a site. CONTRIBUTING.md
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { versionFile } from './clients/versions.mjs';
import { runCommand } from './command.mjs';
import { buildSite } from './docs/build-site.mjs';
import { DocsFailure } from './docs/failure.mjs';
import { root } from './sbom/runtime-packages.mjs';

const usage = `Usage: npm run docs [-- --base PATH] [--out FOLDER] [--without-apis]

Builds docs/ and the documents that it links to as a site of files, with a search that needs no server, and the API
documentation of the signing clients. Fails when a link leads nowhere. Names the clients whose tools are missing.

  --base PATH    where the site will be, such as /postern/ (default: /)
  --out FOLDER   where to write it (default: build/docs); what is there is replaced
  --without-apis leave the API documentation of the clients out, which takes minutes
  --root FOLDER  the project whose docs/ it is (default: this one)

Look at it with any server of files, such as: python3 -m http.server --directory build/docs

Exit codes: 0 built · 1 a link leads nowhere, the site is incomplete, or a tool failed · 2 usage
`;

await runCommand({
  usage,
  options: {
    base: { type: 'string', default: '/' },
    out: { type: 'string', default: join(root, 'build/docs') },
    'without-apis': { type: 'boolean', default: false },
    root: { type: 'string', default: root },
  },
  check: ({ base }) => {
    if (!/^\/(?:[\w.~-]+\/)*$/.test(base)) throw new Error(`--base must begin and end with /, not "${base}"`);
  },
  Failure: DocsFailure,
  run: async (options) => {
    const out = resolve(options.out);
    const project = resolve(options.root);
    const hasApis = !options['without-apis'] && existsSync(join(project, versionFile));
    const { pages, files, apis } = await buildSite({ root: project, out, base: options.base, hasApis });
    for (const { client, missing } of apis) {
      process.stdout.write(
        `${missing === null ? '✓' : '–'} API of ${client}${missing === null ? '' : `: ${missing}`}\n`,
      );
    }
    process.stdout.write(`${pages} pages, ${files} files that they link to: ${out}\n`);
  },
});
