import assert from 'node:assert/strict';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  findOtherClientVersions,
  isVersion,
  readVersion,
  writeVersion,
} from '../../../../scripts/clients/versions.mjs';
import { projectRoot } from '../../../support/docs/documents.ts';
import { temporaryDirectory } from '../../../support/lifetime/temporary-directory.ts';

const copied = ['clients', 'src/cli/handover', 'test/clients', 'test/unit/cli/handover'];
const made = new Set(['dist', 'node_modules', 'target', 'vendor']);

async function copy(root: string): Promise<void> {
  for (const folder of copied) {
    await mkdir(join(root, folder), { recursive: true });
    await cp(join(projectRoot, folder), join(root, folder), {
      recursive: true,
      filter: (path) => !made.has(basename(path)),
    });
  }
}

describe('the version of the clients', () => {
  it('is the same everywhere', () => {
    assert.deepEqual(findOtherClientVersions(projectRoot), []);
  });

  it('is written everywhere, but not into changelogs, which then are named', async () => {
    await using directory = await temporaryDirectory();
    await copy(directory.path);
    const before = readVersion(directory.path);
    writeVersion(directory.path, '7.8.9');
    const problems = findOtherClientVersions(directory.path);
    assert.ok(problems.length >= 8);
    for (const problem of problems) {
      assert.match(problem, new RegExp(`^clients/\\w+/CHANGELOG\\.md says ${before}, clients/VERSION 7\\.8\\.9$`));
    }
    for (const path of ['clients/rust/Cargo.lock', 'clients/javascript/package-lock.json', 'clients/go/README.md']) {
      assert.match(await readFile(join(directory.path, path), 'utf8'), /7\.8\.9/, path);
    }
    const lock = await readFile(join(directory.path, 'clients/postman/package-lock.json'), 'utf8');
    assert.equal(lock.split('7.8.9').length - 1, 2, 'dependencies keep theirs');
  });

  it('names a place that says another, and one that says none', async () => {
    await using directory = await temporaryDirectory();
    await copy(directory.path);
    const version = readVersion(directory.path);
    const pom = join(directory.path, 'clients/java/pom.xml');
    const text = await readFile(pom, 'utf8');
    await writeFile(pom, text.replace(`  <version>${version}`, '  <version>9.9.9'));
    await writeFile(join(directory.path, 'clients/rust/Cargo.toml'), '[package]\n');
    assert.deepEqual(findOtherClientVersions(directory.path), [
      `clients/java/pom.xml says 9.9.9, clients/VERSION ${version}`,
      'clients/rust/Cargo.toml: no version was found',
    ]);
  });

  it('has a form that every registry reads alike', () => {
    assert.ok(isVersion('1.20.3'));
    for (const text of ['', '1.2', 'v1.2.3', '1.2.3-rc.1', '01.2.3', '1.2.3\n4']) assert.ok(!isVersion(text), text);
  });
});
