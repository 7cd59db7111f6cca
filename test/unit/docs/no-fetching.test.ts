import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { projectRoot } from '../../support/docs/documents.ts';

const FOLDERS = [
  ...['bench', 'clients', 'deploy', 'docs', 'drills', 'examples', 'interop', 'scripts', 'services', 'src', 'test'],
  ...['.ci', 'attacks'],
];
const NOT_OURS = new Set(['node_modules', 'dist', 'vendor', 'target', 'gen', 'build']);
const TEXT = /\.(?:md|ts|mjs|js|json|ya?ml|sh|py|toml|env|html|txt)$|\/[a-z-]+$|Dockerfile$/;
const THIS = 'test/unit/docs/no-fetching.test.ts';

function findTexts(directory: string): readonly string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return NOT_OURS.has(entry.name) ? [] : findTexts(path);
    return entry.isFile() && TEXT.test(path) ? [relative(projectRoot, path)] : [];
  });
}

/** Programs that are in package-lock.json, and published ones of others that pages of clients tell partners to use. */
const RUN_BY_NPX = new Set(['mocha', '@redocly/cli', 'newman']);
/** Sentences about npx. */
const PROSE = new Set(['asks', 'before', 'in', 'makes', 'would']);
/** In a shell, or as arguments of a call. */
const FETCHING = /\b(?:npx|npm (?:exec|x)|pnpm dlx|yarn dlx|bunx)(?:\s+|', \[')((?:-\S+\s+|-[^']*', ')*)([@\w/.-]+)/g;
const OWN_FROM_REGISTRY = /\bnpm (?:i|install|add)(?: +-\S+)* +(?:@postern-gateway\/)?postern(?:-[a-z]+)?(?![\w./-])/;

describe('commands that people are told to type', () => {
  const roots = readdirSync(projectRoot, { withFileTypes: true });
  const texts = [
    ...roots.flatMap((entry) => (entry.isFile() && TEXT.test(`/${entry.name}`) ? [entry.name] : [])),
    ...FOLDERS.flatMap((folder) => findTexts(join(projectRoot, folder))),
  ].filter((path) => path !== THIS);

  it('fetch no package of a registry that is not ours to run it', () => {
    assert.ok(texts.length > 1500, String(texts.length));
    const found = texts.flatMap((path) => {
      const text = readFileSync(join(projectRoot, path), 'utf8');
      const fetching = [...text.matchAll(FETCHING)].flatMap(([command, flags = '', program = '']) =>
        /--no(?:-install)?\b/.test(flags) || RUN_BY_NPX.has(program) || PROSE.has(program)
          ? []
          : [`${path}: ${command}`],
      );
      const installed = OWN_FROM_REGISTRY.exec(text);
      return installed === null ? fetching : [...fetching, `${path}: ${installed[0]}`];
    });
    assert.deepEqual(found, []);
  });

  it('finds the ways in which a package would be fetched', () => {
    for (const text of [
      'npx postern serve',
      'npx --yes postern serve',
      'npx -y @postern-gateway/postern',
      "run('npx', ['postern', 'serve'])",
      "run('npx', ['-y', 'postern'])",
      'npm exec postern',
      'pnpm dlx postern-explain',
    ]) {
      const [, flags, program] = [...text.matchAll(FETCHING)][0] ?? [];
      assert.match(program ?? '', /postern/, text);
      assert.doesNotMatch(flags ?? '', /--no/);
    }
    assert.match('npm install --global postern', OWN_FROM_REGISTRY);
    assert.doesNotMatch('npm install --global ./dist/postern-explain-0.1.0.tgz', OWN_FROM_REGISTRY);
  });
});
