import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  checkAbsent,
  createRingFile,
  replaceRingFile,
  RingFileFault,
  withRingLock,
} from '../../../../src/model/keyring/ring-file.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../../support/lifetime/temporary-directory.ts';

describe('a key ring file', () => {
  let folder: TemporaryDirectory;
  beforeEach(async () => {
    folder = await temporaryDirectory();
  });
  afterEach(async () => {
    await folder[Symbol.asyncDispose]();
  });

  function at(name: string): string {
    return join(folder.path, name);
  }

  async function modeOf(name: string): Promise<string> {
    return ((await stat(at(name))).mode & 0o777).toString(8);
  }

  /** Asserts the fault, and that nothing is left beside the files named. */
  async function assertFault(
    work: Promise<unknown>,
    kind: RingFileFault['kind'],
    message: RegExp,
    files: readonly string[],
  ): Promise<void> {
    await assert.rejects(work, (error) => {
      assert.ok(error instanceof RingFileFault, String(error));
      assert.equal(error.kind, kind);
      assert.match(error.message, message);
      return true;
    });
    assert.deepEqual((await readdir(folder.path)).sort(), files);
  }

  it('is made for its owner only', async () => {
    await checkAbsent(at('ring.yaml'));
    await createRingFile(at('ring.yaml'), 'text');
    assert.equal(await readFile(at('ring.yaml'), 'utf8'), 'text');
    assert.equal(await modeOf('ring.yaml'), '600');
    assert.deepEqual(await readdir(folder.path), ['ring.yaml']);
  });

  it('never takes the place of what is there, be it a link to nowhere', async () => {
    await writeFile(at('ring.yaml'), 'former');
    await symlink('nowhere', at('link'));
    for (const name of ['ring.yaml', 'link']) {
      const files = ['link', 'ring.yaml'];
      await assertFault(createRingFile(at(name), 'text'), 'conflict', /is there already and is not replaced/, files);
      await assertFault(checkAbsent(at(name)), 'conflict', /is there already and is not replaced/, files);
    }
    assert.equal(await readFile(at('ring.yaml'), 'utf8'), 'former');
  });

  it('is made once when many make it', async () => {
    const results = await Promise.allSettled(
      ['a', 'b', 'c', 'd', 'e'].map(async (text) => {
        await createRingFile(at('ring.yaml'), text);
        return text;
      }),
    );
    const made = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    assert.deepEqual(made, [await readFile(at('ring.yaml'), 'utf8')]);
    assert.deepEqual(await readdir(folder.path), ['ring.yaml']);
  });

  it('is not made in a folder that is not there', async () => {
    const work = createRingFile(at('nowhere/ring.yaml'), 'text');
    await assertFault(work, 'failed', /cannot be written \(ENOENT\): there is no such file or folder/, []);
  });

  for (const mode of [0o600, 0o440, 0o644]) {
    it(`keeps mode ${mode.toString(8)} when it is replaced`, async () => {
      await writeFile(at('ring.yaml'), 'former');
      await chmod(at('ring.yaml'), mode);
      const before = await stat(at('ring.yaml'));
      await replaceRingFile(at('ring.yaml'), 'text');
      const after = await stat(at('ring.yaml'));
      assert.equal(await readFile(at('ring.yaml'), 'utf8'), 'text');
      assert.deepEqual([after.mode, after.uid, after.gid], [before.mode, before.uid, before.gid]);
      assert.notEqual(after.ino, before.ino);
      assert.deepEqual(await readdir(folder.path), ['ring.yaml']);
    });
  }

  it('is replaced where a symlink leads', async () => {
    await mkdir(at('data'));
    await writeFile(at('data/ring.yaml'), 'former');
    await symlink('data/ring.yaml', at('ring.yaml'));
    await replaceRingFile(at('ring.yaml'), 'text');
    assert.equal(await readFile(at('data/ring.yaml'), 'utf8'), 'text');
    assert.ok((await readdir(folder.path, { withFileTypes: true })).some((entry) => entry.isSymbolicLink()));
  });

  it('is never seen half written', async () => {
    const texts = ['a', 'b'].map((letter) => letter.repeat(100_000));
    await createRingFile(at('ring.yaml'), texts[0] ?? '');
    const end = new AbortController();
    const reading = (async () => {
      const seen = new Set<string>();
      while (!end.signal.aborted) seen.add(await readFile(at('ring.yaml'), 'utf8'));
      return seen;
    })();
    for (let turn = 0; turn < 30; turn += 1) await replaceRingFile(at('ring.yaml'), texts[turn % 2] ?? '');
    end.abort();
    for (const text of await reading) assert.ok(texts.includes(text), `${String(text.length)} characters`);
  });

  it('is changed by one command at a time', async () => {
    await writeFile(at('ring.yaml'), 'former');
    await symlink('ring.yaml', at('link'));
    await withRingLock(at('ring.yaml'), async () => {
      for (const name of ['ring.yaml', 'link']) {
        await assertFault(
          withRingLock(at(name), async () => {
            await Promise.reject(new Error('ran'));
          }),
          'conflict',
          /is being changed by another command; when none runs, one was interrupted: delete .*ring\.yaml\.lock$/,
          ['link', 'ring.yaml', 'ring.yaml.lock'],
        );
      }
    });
    assert.equal(await withRingLock(at('ring.yaml'), async () => await Promise.resolve('done')), 'done');
    await assert.rejects(
      withRingLock(at('ring.yaml'), async () => {
        await Promise.reject(new Error('broke'));
      }),
      /broke/,
    );
    assert.deepEqual((await readdir(folder.path)).sort(), ['link', 'ring.yaml']);
  });
});
