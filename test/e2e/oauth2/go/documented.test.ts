import assert from 'node:assert/strict';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fieldValue } from '../../../support/http/http-message.ts';
import { findServices } from '../../../../services/install-services.mjs';
import { documentedPrograms, OAUTH2_EXAMPLES, runProgram } from '../../../support/docs/documented-program.ts';
import { sharedOAuth2Stack } from '../../../support/oauth2/oauth2-stack.ts';
import { assertOne } from '../../../support/assertions/assert-one.ts';
import { temporaryDirectory } from '../../../support/lifetime/temporary-directory.ts';

describe('the Go program in examples/oauth2/README.md', () => {
  it('calls with golang.org/x/oauth2/clientcredentials', async () => {
    const { go } = await findServices(['go']);
    assert.ok(go !== null, 'Go is not installed: scripts/install-services go');
    await using directory = await temporaryDirectory();
    const stack = await sharedOAuth2Stack();
    await writeFile(join(directory.path, 'main.go'), assertOne(documentedPrograms('go', stack.url, OAUTH2_EXAMPLES)));
    for (const name of ['go.mod', 'go.sum']) {
      await copyFile(new URL(name, import.meta.url), join(directory.path, name));
    }
    // The installed Go builds the pinned modules, or nothing does.
    // Without what only a debugger reads: linking takes half the time.
    const env = { GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly -ldflags=-w', GOWORK: 'off', CGO_ENABLED: '0' };
    assert.equal(await runProgram(go, ['run', '.'], { cwd: directory.path, env }), '200 ok\n\n');
    assert.equal(fieldValue(assertOne(stack.backend.requests).headers, 'x-consumer-id'), 'acme');
  }).timeout(120_000);
});
