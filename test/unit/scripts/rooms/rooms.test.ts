import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { judgeRooms } from '../../../../scripts/rooms/judge-rooms.mjs';
import { importsOf, listSources, readImports } from '../../../../scripts/rooms/read-imports.mjs';
import { temporaryDirectory, type TemporaryDirectory } from '../../../support/lifetime/temporary-directory.ts';

describe('the order of the folders of src/', () => {
  let folder: TemporaryDirectory;
  before(async () => {
    folder = await temporaryDirectory();
  });
  after(() => folder[Symbol.asyncDispose]());

  function judge(name: string, sources: Readonly<Record<string, string>>): ReturnType<typeof judgeRooms> {
    const root = join(folder.path, name);
    for (const [file, text] of Object.entries(sources)) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), text);
    }
    const files = listSources(root);
    return judgeRooms(files, readImports(root, files));
  }

  it('counts wings, rooms and arrows, each pair of places once', () => {
    const { counts, faults } = judge('counts', {
      'main.ts': "import { run } from './cli/program.ts';\n",
      'cli/program.ts': "import { a } from '../base/a.ts';\nexport { b } from '../base/text/b.ts';\n",
      'base/a.ts': "import { b } from './text/b.ts';\nimport { other } from './text/c.ts';\nimport 'node:fs';\n",
      'base/text/b.ts': '',
      'base/text/c.ts': '',
      'gen/message.ts': "import { x } from '../cli/program.ts';\n",
    });
    assert.deepEqual(faults, []);
    assert.deepEqual(counts, { wings: 2, rooms: 4, arrowsBetweenWings: 2, arrowsBetweenRooms: 4, arrowsBack: 0 });
  });

  it('names what a lower wing imports of a higher one, types and import() too', () => {
    const { counts, faults } = judge('back', {
      'base/a.ts': "import type { Endpoint } from '../model/endpoint.ts';\n",
      'base/b.ts': "export const load = () => import('../cli/program.ts');\n",
      'model/endpoint.ts': '',
      'cli/program.ts': '',
    });
    assert.equal(counts['arrowsBack'], 2);
    assert.deepEqual(faults, [
      'src/base/a.ts imports src/model/endpoint.ts, but base stands below model',
      'src/base/b.ts imports src/cli/program.ts, but base stands below cli',
    ]);
  });

  it('names circles of rooms', () => {
    const { faults } = judge('rooms', {
      'check/route/a.ts': "import { b } from '../limit/b.ts';\n",
      'check/limit/b.ts': "import type { C } from '../store/c.ts';\n",
      'check/store/c.ts': "import { d } from '../route/d.ts';\n",
      'check/route/d.ts': '',
    });
    assert.deepEqual(faults, ['a circle of rooms: check/limit, check/route, check/store']);
  });

  it('lets two files know each other while one needs only types', () => {
    const stack = (kind: string): Readonly<Record<string, string>> => ({
      'check/route/a.ts': "import { b } from './b.ts';\n",
      'check/route/b.ts': `import ${kind} { a } from './a.ts';\n`,
    });
    assert.deepEqual(judge('types', stack('type')).faults, []);
    assert.deepEqual(judge('values', stack('')).faults, ['a circle of files: check/route/a.ts, check/route/b.ts']);
  });

  it('names circles of three files, even of types', () => {
    const { faults } = judge('three', {
      'check/route/a.ts': "import type { b } from './b.ts';\n",
      'check/route/b.ts': "import { type c } from './c.ts';\n",
      'check/route/c.ts': "import type { a } from './a.ts';\n",
    });
    assert.deepEqual(faults, ['a circle of files: check/route/a.ts, check/route/b.ts, check/route/c.ts']);
  });

  it('wants a wing for every folder', () => {
    const { faults } = judge('homeless', { 'helpers/a.ts': '' });
    assert.deepEqual(faults, ['src/helpers/a.ts: no wing of this name; see scripts/rooms/wings.mjs']);
  });

  it('tells imports of types and import() from those that load', () => {
    const text = [
      "import 'node:fs';",
      "import { type A } from './a.ts';",
      "import b, { type B } from './b.ts';",
      "export type { C } from './c.ts';",
      "export const d = async () => await import('./d.ts');",
      "export type E = import('./e.ts').E;",
      '// import("./comment.ts")',
    ].join('\n');
    const how = importsOf('x.ts', text).map(({ specifier, isType, isLazy }) => [specifier, isType, isLazy]);
    assert.deepEqual(how, [
      ['node:fs', false, false],
      ['./a.ts', true, false],
      ['./b.ts', false, false],
      ['./c.ts', true, false],
      ['./d.ts', false, true],
      ['./e.ts', true, false],
    ]);
  });
});
