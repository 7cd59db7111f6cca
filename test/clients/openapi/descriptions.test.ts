import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '../../support/docs/documented-program.ts';
import { projectRoot } from '../../support/docs/documents.ts';
import { temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';

const folder = join(projectRoot, 'clients/openapi');
const files = ['postern.yaml', 'example.yaml'];

describe('the OpenAPI descriptions', () => {
  before(async () => {
    const linter = join(folder, 'node_modules/@redocly/openapi-core');
    if (!existsSync(linter)) await runProgram('npm', ['ci', '--silent', '--ignore-scripts'], { cwd: folder });
  });

  it('have nothing that the linter finds, apart and in one file', async () => {
    assert.deepEqual(await lint(folder), { code: 0, problems: '' });
  });

  const mistakes: Readonly<Record<string, readonly [text: string, mistake: string, found: RegExp]>> = {
    'a security scheme that is not defined': ['- PosternHmac: []', '- PosternOther: []', /: security-defined: /],
    'an example that does not fit': ['{ amount: 12 }', '{ amount: twelve }', /: no-invalid-media-type-examples: /],
    'a reference that leads nowhere': ['responses/PosternNotFound', 'responses/PosternLost', /: no-unresolved-refs: /],
    'a word that OpenAPI does not know': ['operationId: pay', 'operationID: pay', /: struct: .*operationID/],
  };
  for (const [name, [text, mistake, found]] of Object.entries(mistakes)) {
    it(`would not pass with ${name}`, async () => {
      await using place = await temporaryDirectory();
      for (const file of files) await cp(join(folder, file), join(place.path, file));
      const example = join(place.path, 'example.yaml');
      const right = await readFile(example, 'utf8');
      assert.ok(right.includes(text), 'the example has what is changed');
      await writeFile(example, right.replace(text, mistake));
      const { code, problems } = await lint(place.path);
      assert.equal(code, 1);
      assert.match(problems, found);
    });
  }
});

/** What the linter says of the descriptions in a folder. */
async function lint(place: string): Promise<{ readonly code: number; readonly problems: string }> {
  return await new Promise((resolve) => {
    const parts = [join(folder, 'lint.mjs'), ...files];
    const child = execFile(process.execPath, parts, { cwd: place }, (_, stdout, stderr) => {
      resolve({ code: child.exitCode ?? -1, problems: stdout + stderr });
    });
  });
}
