import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { chmod, lstat, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { isSameFile, openOutput, type OutputAccess } from '../../../../src/base/files/output-file.ts';
import { FileFault } from '../../../../src/base/files/replace-file.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../../support/lifetime/temporary-directory.ts';

/** Longer than a pipe holds, and than one write. */
const LONG = 'a line of a document\n'.repeat(30_000);

describe('a file that a command writes', () => {
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

  async function* pieces(...texts: readonly string[]): AsyncGenerator<string> {
    for (const text of texts) yield await Promise.resolve(text);
  }

  async function write(path: string, text: string, access: OutputAccess = 'open'): Promise<void> {
    const output = await openOutput(path, access);
    await output.write(pieces(text));
  }

  async function assertFault(path: string, message: RegExp): Promise<void> {
    const before = await readdir(folder.path, { recursive: true });
    await assert.rejects(openOutput(path, 'open'), (error) => {
      assert.ok(error instanceof FileFault, String(error));
      assert.match(error.message, message);
      return true;
    });
    assert.deepEqual(await readdir(folder.path, { recursive: true }), before);
  }

  it('is made, and leaves nothing beside it', async () => {
    const output = await openOutput(at('new'), 'owner');
    assert.deepEqual(await readdir(folder.path), []);
    await output.write(pieces('a', LONG, 'b'));
    assert.equal(await readFile(at('new'), 'utf8'), `a${LONG}b`);
    assert.deepEqual(await readdir(folder.path), ['new']);
  });

  it('is replaced in one step, with the mode it had', async () => {
    await writeFile(at('old'), 'former');
    await chmod(at('old'), 0o640);
    const before = await stat(at('old'));
    await write(at('old'), 'text');
    const after = await stat(at('old'));
    assert.deepEqual([after.mode, after.uid, after.gid], [before.mode, before.uid, before.gid]);
    assert.notEqual(after.ino, before.ino);
    assert.equal(await readFile(at('old'), 'utf8'), 'text');
  });

  it('is for its owner only when it holds secrets, whatever mode it had', async () => {
    await writeFile(at('old'), 'former');
    await chmod(at('old'), 0o666);
    for (const name of ['old', 'new']) {
      await write(at(name), 'text', 'owner');
      assert.equal((await stat(at(name))).mode & 0o777, 0o600);
    }
  });

  it('stays as it was when what is to be written cannot be had', async () => {
    await writeFile(at('old'), 'former');
    const output = await openOutput(at('old'), 'open');
    const failing = (async function* () {
      yield await Promise.resolve(LONG);
      throw new Error('the store is gone');
    })();
    await assert.rejects(output.write(failing), /^Error: the store is gone$/);
    assert.equal(await readFile(at('old'), 'utf8'), 'former');
    assert.deepEqual(await readdir(folder.path), ['old']);
  });

  it('is written where symlinks lead, be it nowhere yet', async () => {
    await mkdir(at('data'));
    await writeFile(at('data/there'), 'former');
    await symlink('data', at('folder'));
    await symlink('there', at('data/second'));
    for (const [link, target] of [
      ['first', 'folder/second'],
      ['dangling', 'folder/absent'],
    ] as const) {
      await symlink(target, at(link));
      await write(at(link), 'text');
      assert.equal(await readlink(at(link)), target);
    }
    assert.equal(await readFile(at('data/there'), 'utf8'), 'text');
    assert.equal(await readFile(at('data/absent'), 'utf8'), 'text');
    assert.ok((await lstat(at('data/second'))).isSymbolicLink());
  });

  it('is written to and stays what it is when it is a pipe', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    const output = await openOutput(at('pipe'), 'owner');
    const reader = spawn('cat', [at('pipe')], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [read] = await Promise.all([textOf(reader.stdout), output.write(pieces(LONG, 'end'))]);
    assert.equal(read, `${LONG}end`);
    assert.ok((await lstat(at('pipe'))).isFIFO());
  });

  it('is no fault when the reader of a pipe has enough', async () => {
    execFileSync('mkfifo', [at('pipe')]);
    const reader = spawn('head', ['-c', '3', at('pipe')], { stdio: ['ignore', 'pipe', 'inherit'] });
    const output = await openOutput(at('pipe'), 'owner');
    const [read] = await Promise.all([textOf(reader.stdout), output.write(pieces(LONG, LONG, LONG))]);
    assert.equal(read, LONG.slice(0, 3));
  });

  it('is written to and stays what it is when it is a socket', async () => {
    const server = createServer({ allowHalfOpen: false });
    server.listen(at('socket'));
    await once(server, 'listening');
    try {
      const received = once(server, 'connection').then(
        async ([socket]) => await textOf(socket as NodeJS.ReadableStream),
      );
      await write(at('socket'), LONG);
      assert.equal(await received, LONG);
      assert.ok((await lstat(at('socket'))).isSocket());
    } finally {
      server.close();
    }
  });

  it('is a device only to be written to', async () => {
    // Looked at through a link in a folder of its own: a mistake here must not reach the device of the machine.
    await symlink('/dev/full', at('full'));
    const output = await openOutput(at('full'), 'owner');
    await assert.rejects(output.write(pieces('text')), /full cannot be written \(ENOSPC\): there is no space left$/);
    assert.ok((await stat('/dev/full')).isCharacterDevice());
    assert.ok((await lstat(at('full'))).isSymbolicLink());
  });

  for (const folderOfDescriptors of ['/dev/fd', '/proc/self/fd']) {
    it(`is an open descriptor of this process, behind what it has written already (${folderOfDescriptors})`, async () => {
      await writeFile(at('log'), 'former line\n');
      const descriptor = openSync(at('log'), 'a');
      try {
        await write(`${folderOfDescriptors}/${String(descriptor)}`, 'text');
      } finally {
        closeSync(descriptor);
      }
      assert.equal(await readFile(at('log'), 'utf8'), 'former line\ntext');
      await assertFault(
        `${folderOfDescriptors}/${String(descriptor)}`,
        /cannot be written \(EBADF\): this process has no such open descriptor/,
      );
    });
  }

  it('is refused before any work where nothing can be written', async () => {
    await mkdir(at('folder'));
    await writeFile(at('file'), 'former');
    await symlink('circle', at('circle'));
    await assertFault(at('folder'), /folder cannot be written \(EISDIR\): it is a folder: name a file in it$/);
    await assertFault(at('no/such/place'), /cannot be written \(ENOENT\): there is no such file or folder$/);
    await assertFault(at('file/below'), /cannot be written \(ENOTDIR\)/);
    await assertFault(at('circle'), /cannot be written \(ELOOP\): its symlinks lead in a circle$/);
  });

  it('is not replaced by a rename when it became something else in the meantime', async () => {
    const output = await openOutput(at('new'), 'open');
    execFileSync('mkfifo', [at('new')]);
    await assert.rejects(output.write(pieces('text')), /new is no regular file, and is not replaced$/);
    assert.ok((await lstat(at('new'))).isFIFO());
    assert.deepEqual(await readdir(folder.path), ['new']);
  });

  it('is the same under all its names', async () => {
    await writeFile(at('file'), '');
    await symlink('file', at('link'));
    await symlink('absent', at('dangling'));
    assert.ok(await isSameFile(at('file'), at('./link')));
    assert.ok(await isSameFile(at('dangling'), at('absent')));
    assert.ok(!(await isSameFile(at('file'), at('absent'))));
    assert.ok(!(await isSameFile('/dev/full', '/dev/full')));
  });
});
