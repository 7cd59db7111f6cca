import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findServices, type InstallProgress, installServices } from '../../../services/install-services.mjs';
import {
  fakePython,
  type FakePython,
  type PipBehaviour,
  wheelProgramVersion,
} from '../../support/services/fake-python.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../../support/lifetime/temporary-directory.ts';
import { release } from '../../support/lifetime/release.ts';

/** A catalogue of one service whose wheel the stand-in for Python brings. */
function catalogue(pin = 'a'.repeat(64)) {
  const is = (text: string): boolean => text.includes(wheelProgramVersion);
  return {
    tool: {
      title: `Tool ${wheelProgramVersion}`,
      version: wheelProgramVersion,
      command: 'tool',
      source: {
        kind: 'wheel',
        project: 'tool-server',
        release: wheelProgramVersion,
        sha256: { x86_64: pin, aarch64: pin },
        megabytes: 1,
        program: () => 'tool/bin/tool',
        minGlibc: '2.0',
      },
      machine: { commands: ['tool'], fits: is },
      proof: is,
      byHand: ['put a tool on PATH'],
    },
  };
}

describe('installing a service', () => {
  if (process.platform !== 'linux') {
    it('says that there are builds for Linux only', async () => {
      await assert.rejects(
        installServices(['tool'], { catalogue: catalogue() }),
        /for Linux on x86_64 and aarch64 only/,
      );
    });
    return;
  }
  let directory: TemporaryDirectory;
  let python: FakePython | undefined;
  let events: InstallProgress[];
  const path = process.env['PATH'];

  beforeEach(async () => {
    directory = await temporaryDirectory();
    events = [];
  });
  afterEach(async () => {
    process.env['PATH'] = path;
    await release(directory, python);
    python = undefined;
  });

  async function usePython(pip: PipBehaviour, program?: string): Promise<FakePython> {
    await release(python);
    python = await fakePython(pip, program);
    process.env['PATH'] = python.path;
    return python;
  }

  it('says that nothing can be written, as in a container', async () => {
    await writeFile(join(directory.path, 'file'), '');
    await assert.rejects(
      installServices(['tool'], { directory: join(directory.path, 'file/below'), catalogue: catalogue() }),
      { name: 'InstallFailure', message: /^Tool 9\.9\.9 is not there, and nothing can be installed here: ENOTDIR/ },
    );
  });

  async function install(options: { pin?: string; signal?: AbortSignal } = {}): Promise<string> {
    const { tool } = await installServices(['tool'], {
      directory: directory.path,
      catalogue: catalogue(options.pin),
      onProgress: (event) => events.push(event),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    return tool;
  }

  async function assertNothingInstalled(): Promise<void> {
    const found = await findServices(['tool'], { directory: directory.path, catalogue: catalogue() });
    assert.deepEqual(found, { tool: null });
    const packages = await readdir(join(directory.path, 'packages')).catch(() => []);
    assert.deepEqual(packages, []);
  }

  it('links its program, and does nothing the second time', async () => {
    const fake = await usePython('download');
    const program = await install();
    assert.equal(program, join(directory.path, 'bin', 'tool'));
    assert.match(await readFile(program, 'utf8'), /9\.9\.9/);
    assert.deepEqual(
      events.map(({ phase }) => phase),
      ['downloading', 'unpacking', 'ready'],
    );

    process.env['PATH'] = '/nowhere';
    assert.equal(await install(), program);
    assert.deepEqual(events.at(-1), {
      specification: 'tool',
      title: 'Tool 9.9.9',
      phase: 'ready',
      origin: 'present',
      path: program,
    });
    assert.equal(await fake.downloads(), 1);
  });

  it('installs again when the pinned checksum changed', async () => {
    const fake = await usePython('download');
    await install();
    await install({ pin: 'b'.repeat(64) });
    assert.equal(await fake.downloads(), 2);
  });

  it('uses the program of the machine when it is the right version', async () => {
    const fake = await usePython('download');
    const own = join(fake.path, 'tool');
    await writeFile(own, `#!/bin/sh\necho tool ${wheelProgramVersion} of this machine\n`);
    await chmod(own, 0o755);
    assert.match(await readFile(await install(), 'utf8'), /of this machine/);
    assert.equal(await fake.downloads(), 0);
  });

  it('does not use the program of the machine when it is another version, nor any longer when it became one', async () => {
    const fake = await usePython('download');
    const own = join(fake.path, 'tool');
    await writeFile(own, `#!/bin/sh\necho tool ${wheelProgramVersion}\n`);
    await chmod(own, 0o755);
    await install();
    await writeFile(own, '#!/bin/sh\necho tool 8.0.0\n');
    assert.doesNotMatch(await readFile(await install(), 'utf8'), /8\.0\.0/);
    assert.equal(await fake.downloads(), 1);
  });

  it('happens once when two ask for it at the same time', async () => {
    const fake = await usePython('download');
    const [one, other] = await Promise.all([install(), install()]);
    assert.equal(one, other);
    assert.equal(await fake.downloads(), 1);
    assert.ok(events.some(({ phase }) => phase === 'waiting'));
  });

  it('leaves nothing when it is interrupted, and works afterwards', async () => {
    await usePython('hang');
    const interruption = new AbortController();
    const installing = installServices(['tool'], {
      directory: directory.path,
      catalogue: catalogue(),
      signal: interruption.signal,
      onProgress: ({ phase }) => {
        if (phase === 'downloading') interruption.abort(new Error('interrupted'));
      },
    });
    await assert.rejects(installing, /^Error: interrupted$/);
    await assertNothingInstalled();
    await usePython('download');
    await install();
  });

  it('clears away what a killed run left', async () => {
    await usePython('download');
    await mkdir(join(directory.path, 'packages', 'staging-killed'), { recursive: true });
    await install();
    assert.deepEqual(await readdir(join(directory.path, 'packages')), ['tool-9.9.9-aaaaaaaaaaaa']);
  });

  it('refuses what is not the pinned file', async () => {
    await usePython({ stderr: 'ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.' });
    await assert.rejects(install(), {
      name: 'InstallFailure',
      message: /^Tool 9\.9\.9 was refused: .*checksum differs/,
    });
    await assertNothingInstalled();
  });

  it('says that the network is away', async () => {
    await usePython({ stderr: 'ERROR: Could not find a version that satisfies … (from versions: none)' });
    await assert.rejects(install(), { name: 'InstallFailure', message: /pip cannot reach its package index[^]*PATH/ });
    await assertNothingInstalled();
  });

  it('says that Python is missing', async () => {
    process.env['PATH'] = '/nowhere';
    await assert.rejects(install(), { name: 'InstallFailure', message: /Python 3 with pip is missing[^]*python3-pip/ });
  });

  it('says that pip is missing', async () => {
    await usePython('absent');
    await assert.rejects(install(), { name: 'InstallFailure', message: /^Tool 9\.9\.9 could not be installed: pip/ });
  });

  it('does not link a program that cannot run here, and names the library that it lacks', async () => {
    await usePython('download', '#!/bin/sh\necho "error while loading libcurl.so.4: no such file" >&2\nexit 127\n');
    await assert.rejects(install(), { name: 'InstallFailure', message: /does not run here[^]*library libcurl\.so\.4/ });
    await assertNothingInstalled();
  });

  it('names what there is when it is asked for something else', async () => {
    await assert.rejects(installServices(['nonsense'], { directory: directory.path }), {
      name: 'InstallFailure',
      message: /There is no service "nonsense"[^]*envoy, .*mongodb, redis, ratelimit/,
    });
  });
});
