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
import { release } from '../../support/lifetime/release.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { useDatabase } from '../../support/mongodb/use-database.ts';

const page = readDocument('docs/manage-curl.md');

/** Takes out what differs from one run to the next. */
function normalise(line: string): string {
  return line.trimEnd().replaceAll(/\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z/g, 'NOW');
}

describe('docs/manage-curl.md', function () {
  this.timeout(180_000);
  const database = useDatabase();
  let folder: TemporaryDirectory;
  let substitute: Substitute;
  before(async () => {
    folder = await temporaryDirectory();
    substitute = await substituteAddresses(database.uri());
  });
  after(() => release(folder));

  it('leads by eight requests from an empty database to the first 200, with what it shows', async () => {
    const steps = readSteps(page);
    assert.equal(page.match(/^```sh$/gm)?.length, steps.length);
    assert.equal(page.match(/^```text$/gm)?.length, steps.filter(({ shown }) => shown.length > 0).length);
    assert.equal(page.match(/^\*\*\d\. /gm)?.length, 8);
    const project = await makeProject(folder.path, substitute);
    const { code, stdout, stderr, printed } = await runSteps(steps, project, substitute);
    assert.deepEqual([code, stderr], [0, ''], stdout);

    for (const [index, { commands, shown }] of steps.entries()) {
      const lines = printed[index] ?? [];
      const missing = missingLines(shown, lines, normalise);
      assert.deepEqual(missing, [], `${commands}\nprinted\n${lines.join('\n')}`);
    }
    assert.doesNotMatch(stdout, /pot_alice\.|"appKey"/, 'a secret was printed');
    assert.deepEqual((await readdir(project)).sort(), ['.services', 'dist', 'envoy.yaml', 'node_modules']);
  });

  it('puts no token on a command line', () => {
    for (const { commands } of readSteps(page)) {
      assert.doesNotMatch(commands, /(-H|--header|--oauth2-bearer)[^\n]*(Authorization|TOKEN|X-App-Key)/i);
    }
    for (const [, example = ''] of readDocument('docs/manage.md').matchAll(/^```sh\n(.*?)^```/gms)) {
      assert.doesNotMatch(example, /Bearer/);
    }
  });
});
