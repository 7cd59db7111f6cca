import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { dockerOutput } from '../../scripts/image/docker.mjs';
import { readVersion } from '../../scripts/image/build.mjs';
import { projectRoot, readDocument, readFences } from '../support/docs/documents.ts';
import { buildTestImage, testImage } from '../support/image/built-image.ts';
import { freePort } from '../../src/cli/programs/free-ports.ts';
import { temporaryDirectory } from '../support/lifetime/temporary-directory.ts';

const container = 'postern-test-documented';

describe('docs/image.md', () => {
  before(buildTestImage);
  after(async () => {
    await dockerOutput(['rm', '--force', container]);
  });

  it('has only docker commands that work, in the order in which they stand', async () => {
    await using directory = await temporaryDirectory();
    await mkdir(join(directory.path, 'examples/demo'), { recursive: true });
    await cp(join(projectRoot, 'examples/demo/postern.yaml'), join(directory.path, 'examples/demo/postern.yaml'));
    const [grpc, admin] = [String(await freePort()), String(await freePort())];
    const script = readFences(readDocument('docs/image.md'), 'sh')
      .filter((text) => text.includes('docker '))
      .join('\n')
      .replaceAll('127.0.0.1:9001', `127.0.0.1:${grpc}`)
      .replaceAll('127.0.0.1:9003', `127.0.0.1:${admin}`)
      .replaceAll(`postern:${readVersion()} `, `${testImage} `)
      .replaceAll(`postern:${readVersion()}\n`, `${testImage}\n`)
      .replaceAll(/\bgateway\b/g, container);
    assert.doesNotMatch(script, new RegExp(`postern:${readVersion()}`));
    const { status, stdout, stderr } = spawnSync('sh', ['-eux', '-c', script], {
      cwd: directory.path,
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    for (const said of [
      /^ready$/m,
      /"message":"ready"/,
      new RegExp(`^${readVersion()}$`, 'm'),
      /POSTERN_GRPC_ADDRESS/,
    ]) {
      assert.match(stdout, said);
    }
    assert.match(stdout, /no faults/);
  });
});
