import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { findDependents } from '../../../../scripts/testing/import-graph.mjs';
import { temporaryDirectory, type TemporaryDirectory } from '../../../support/lifetime/temporary-directory.ts';

const tree = {
  'src/equal.ts': 'export const equal = 1;',
  'src/verify.ts': "import { equal } from './equal.ts';\nexport const verify = equal;",
  'src/lazy.ts': "export const lazy = () => import('./verify.ts');",
  'src/shape.ts': "import type { Equal } from './equal.ts';",
  'src/main.ts': "import './lazy.ts';",
  'test/unit/equal.test.ts': "import {\n  equal,\n} from '../../src/equal.ts';",
  'test/unit/verify.test.ts': "import { verify } from '../../src/verify.ts';",
  'test/unit/shape.test.ts': "import { shape } from '../../src/shape.ts';",
  'test/e2e/built.test.ts': "const program = new URL('../../dist/main.js', import.meta.url);",
  'test/unit/readme.test.ts': "await readFile('docs/partners.md');",
  'docs/partners.md': '# Partners',
};

describe('what a change reaches', () => {
  let folder: TemporaryDirectory;
  before(async () => {
    folder = await temporaryDirectory();
    for (const [file, text] of Object.entries(tree)) {
      await mkdir(dirname(join(folder.path, file)), { recursive: true });
      await writeFile(join(folder.path, file), text);
    }
  });
  after(() => folder[Symbol.asyncDispose]());

  /** The tests that a change reaches, the nearest first. */
  const reached = async (...changed: readonly string[]): Promise<readonly string[]> => {
    const costs = await findDependents(changed, { directory: folder.path, files: Object.keys(tree) });
    const tests = [...costs].filter(([file]) => file.endsWith('.test.ts'));
    return tests.sort(([, a], [, b]) => a - b).map(([file]) => file);
  };

  it('is what imports it, directly or not, and what runs the built program, the nearest first', async () => {
    assert.deepEqual(await reached('src/equal.ts'), [
      'test/unit/equal.test.ts',
      'test/unit/verify.test.ts',
      'test/e2e/built.test.ts',
    ]);
  });

  it('leaves out what imports only its types, which the type check covers', async () => {
    assert.ok(!(await reached('src/equal.ts')).includes('test/unit/shape.test.ts'));
  });

  it('includes what names its path', async () => {
    assert.deepEqual(await reached('docs/partners.md'), ['test/unit/readme.test.ts']);
  });

  it('includes a test that changed itself', async () => {
    assert.deepEqual(await reached('test/unit/verify.test.ts'), ['test/unit/verify.test.ts']);
  });

  it('is nothing for a file that nobody needs', async () => {
    assert.deepEqual(await reached('LICENSE'), []);
  });
});
