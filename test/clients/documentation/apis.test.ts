import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installTools, thisMachine } from '../../../scripts/clients/tools.mjs';
import { readVersion } from '../../../scripts/clients/versions.mjs';
import { apiPage, buildApi } from '../../../scripts/docs/api/build-apis.mjs';
import { apis } from '../../../scripts/docs/api/packages.mjs';
import { projectRoot } from '../../support/docs/documents.ts';
import { release } from '../../support/lifetime/release.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/lifetime/temporary-directory.ts';

describe('the API documentation of the clients', function () {
  this.timeout(900_000);
  let folder: TemporaryDirectory;
  before(async () => {
    folder = await temporaryDirectory();
    installTools(projectRoot);
  });
  after(() => release(folder));

  for (const api of apis) {
    it(`is written for ${api.title}, with what partners use, and loads nothing from another host`, async () => {
      const out = join(folder.path, api.client);
      const [machine, version] = [thisMachine(projectRoot), readVersion(projectRoot)];
      const missing = await buildApi(api, { root: projectRoot, out, version, machine });
      if (missing !== null) {
        assert.match(missing, /^\S+ is missing: /);
        assert.ok(apiPage([{ ...api, missing }]).includes(`| ${api.title} | not in this copy: ${missing} |`));
        return;
      }
      assert.ok(existsSync(join(out, api.page)));
      for (const [file, symbol] of Object.entries(api.symbols)) {
        const text = await readFile(join(out, file), 'utf8');
        assert.ok(text.includes(symbol), file);
        assert.doesNotMatch(text, /<(?:script|link|img)\b[^>]*(?:src|href)="(?:https?:)?\/\//, file);
      }
      assert.ok(apiPage([{ ...api, missing }]).includes(`href="clients/${api.client}/${api.page}"`));
    });
  }

  it('names the tool that is missing, and fails with what a tool said', async () => {
    const [api] = apis;
    assert.ok(api !== undefined);
    const to = { root: projectRoot, out: join(folder.path, 'none'), version: '0.1.0' };
    const none = { findTool: () => null, run: () => Promise.reject(new Error('nothing runs')) };
    assert.match((await buildApi(api, { ...to, machine: none })) ?? '', /^npm is missing: install Node/);
    const failing = {
      findTool: (name: string) => name,
      run: () => Promise.resolve({ code: 3, stdout: '', output: 'no such entry' }),
    };
    await assert.rejects(buildApi(api, { ...to, machine: failing }), /clients\/javascript: .* failed:\nno such entry/);
    const idle = { ...failing, run: () => Promise.resolve({ code: 0, stdout: '', output: '' }) };
    await assert.rejects(buildApi(api, { ...to, machine: idle }), /createClient\.html does not hold PosternClient/);
  });
});
