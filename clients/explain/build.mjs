// Bundles src/main.ts with what it uses of Postern's src/ into one file, and the licences of the packages in it.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../../', import.meta.url));
const outdir = fileURLToPath(new URL('dist/lib/', import.meta.url));

/** The gateway loads `yaml` when it needs it; here it is in the one file. */
const withYaml = {
  name: 'with-yaml',
  setup: ({ onLoad }) => {
    onLoad({ filter: /model\/document\/yaml-library\.ts$/ }, () => ({
      contents: "import * as yaml from 'yaml';\nexport const loadYaml = () => yaml;\n",
      resolveDir: root,
    }));
  },
};

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: { 'postern-explain': 'clients/explain/src/main.ts' },
  outdir,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  minify: true,
  // Errors are told by their class names.
  keepNames: true,
  legalComments: 'none',
  metafile: true,
  plugins: [withYaml],
  // Some packages are CommonJS and ask for Node's modules by require.
  banner: {
    js: "#!/usr/bin/env node\nimport { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);",
  },
});

const [output] = Object.values(metafile.outputs);
const used = Object.entries(output.inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : []));
const packageOf = (path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? null;
const packages = [...new Set(used.map(packageOf))].filter((folder) => folder !== null).sort();
writeFileSync(`${outdir}THIRD-PARTY-LICENSES.txt`, packages.map(noticeOf).join(`\n${'-'.repeat(80)}\n\n`));

/** Name, version and licence of a package, and the text of the licence. */
function noticeOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(`${root}${folder}/package.json`, 'utf8'));
  const file = readdirSync(`${root}${folder}`).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? headsOf(folder) : readFileSync(`${root}${folder}/${file}`, 'utf8').trim();
  if (text === '') throw new Error(`${name} has no text of its licence`);
  return `${name} ${version} (${license})\n\n${text}\n`;
}

/** The comments at the head of the files that are used: where a package has no file with its licence, it stands there. */
function headsOf(folder) {
  const files = used.filter((path) => packageOf(path) === folder);
  const heads = files.map((path) => /^(?:\/\/.*\n)*/.exec(readFileSync(root + path, 'utf8'))?.[0].trim() ?? '');
  return [...new Set(heads)].join('\n\n').replaceAll(/^\/\/ ?/gm, '');
}
