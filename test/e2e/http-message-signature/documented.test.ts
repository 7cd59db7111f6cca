import assert from 'node:assert/strict';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import {
  makeProject,
  missingLines,
  readSteps,
  runSteps,
  substituteAddresses,
} from '../../support/docs/documented-session.ts';
import { readDocument, readFences } from '../../support/docs/documents.ts';
import { release } from '../../support/lifetime/release.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';

const page = readDocument('docs/http-message-signatures.md');

/** The three programs of README.md, as the quickstart starts them in one shell. */
const start = readSteps(readDocument('docs/quickstart.md')).find(({ commands }) => commands.includes('serve'));

interface Document {
  readonly consumers: readonly [{ credentials: readonly object[] }];
}

describe('docs/http-message-signatures.md', function () {
  this.timeout(120_000);
  let folder: TemporaryDirectory;
  before(async () => {
    folder = await temporaryDirectory();
  });
  after(() => release(folder));

  it('leads from a new key pair to answers, with what it shows', async () => {
    const substitute = await substituteAddresses('file:postern.yaml');
    const project = await makeProject(folder.path, substitute);
    const [document = '', rotation = ''] = readFences(page, 'yaml');
    await writeFile(join(project, 'postern.yaml'), document);
    const rotated = parse(document) as Document;
    rotated.consumers[0].credentials = (parse(rotation) as { readonly credentials: readonly object[] }).credentials;
    await writeFile(join(project, 'rotated.yaml'), stringify(rotated));

    assert.ok(start);
    const [makeKey, validate, ...calls] = readSteps(page);
    assert.ok(makeKey && validate);
    const own = (commands: string) => ({ commands, shown: [] });
    const steps = [
      ...[makeKey, validate],
      own(
        'openssl genpkey -algorithm ed25519 | openssl pkey -pubout -out acme-next.pem\nnode dist/main.js validate -f rotated.yaml\n',
      ),
      own('mkdir quickstart\nexport PATH="$PWD/node_modules/.bin:$PATH" POSTERN_STORE=file:postern.yaml\n'),
      ...[start, ...calls],
    ];
    const session = await runSteps(steps, project, substitute);
    assert.deepEqual([session.code, session.stderr], [0, ''], session.stdout);
    for (const [index, { commands, shown }] of steps.entries()) {
      const lines = session.printed[index] ?? [];
      const missing = missingLines(shown, lines, (line) =>
        line.trimEnd().replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'REQUEST-ID'),
      );
      assert.deepEqual(missing, [], `${commands}\nprinted\n${lines.join('\n')}`);
    }
    assert.ok((await readdir(project)).includes('signature-base'));
  });
});
