import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { readDocument } from '../../support/docs/documents.ts';
import {
  makeProject,
  missingLines,
  readSteps,
  runSteps,
  type Substitute,
  substituteAddresses,
} from '../../support/docs/documented-session.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';
import { release } from '../../support/lifetime/release.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';

const page = readDocument('docs/quickstart.md');

/** Takes out what differs from one run to the next. */
function normalise(line: string): string {
  return line
    .trimEnd()
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'REQUEST-ID')
    .replaceAll(/\b[0-9a-f]{32}\b/g, 'APP-KEY')
    .replace(/^ {2}App Secret {2}[\w-]{43}$/, '  App Secret  APP-SECRET')
    .replace(/^date: .* GMT$/, 'date: NOW');
}

describe('docs/quickstart.md', function () {
  this.timeout(180_000);
  const database = useDatabase();
  let folder: TemporaryDirectory;
  let substitute: Substitute;
  before(async () => {
    folder = await temporaryDirectory();
    substitute = await substituteAddresses(database.uri());
  });
  after(() => release(folder));

  it('leads from an empty database to an answer, and to a refusal, with what it shows', async () => {
    const steps = readSteps(page);
    assert.equal(page.match(/^```sh$/gm)?.length, steps.length);
    assert.equal(page.match(/^```text$/gm)?.length, steps.filter(({ shown }) => shown.length > 0).length);
    const project = await makeProject(folder.path, substitute);
    const { code, stdout, stderr, printed } = await runSteps(steps, project, substitute);
    assert.deepEqual([code, stderr], [0, ''], stdout);

    for (const [index, { commands, shown }] of steps.entries()) {
      const lines = printed[index] ?? [];
      const missing = missingLines(shown.map(substitute), lines, normalise);
      assert.deepEqual(missing, [], `${commands}\nprinted\n${lines.join('\n')}`);
    }
    assert.deepEqual((await readdir(project)).sort(), ['.services', 'dist', 'envoy.yaml', 'node_modules']);
  });
});
