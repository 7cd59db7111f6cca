import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from '../../../../scripts/testing/workers.mjs';
import { temporaryDirectory, type TemporaryDirectory } from '../../../support/lifetime/temporary-directory.ts';

describe('a worker of the test runner', () => {
  let folder: TemporaryDirectory;
  /** One for all tests that leave it able to run another file. */
  const worker = new Worker();
  before(async () => {
    folder = await temporaryDirectory();
  });
  after(async () => {
    assert.equal(await worker.end(), null);
    await folder[Symbol.asyncDispose]();
  });

  const testFile = async (name: string, text: string): Promise<string> => {
    const path = join(folder.path, `${name}.test.ts`);
    await writeFile(path, text);
    return path;
  };

  it('keeps its process from file to file, and counts and tells what failed', async () => {
    const remember = "(globalThis as any).seen = 'by the next file';";
    const first = await worker.run(await testFile('first', `it('passes', () => { ${remember} });`));
    assert.deepEqual([first.passed, first.failed, first.output], [1, 0, '']);
    const text = "it('fails', () => { throw new Error(`seen ${(globalThis as any).seen}`); });";
    const second = await worker.run(await testFile('second', text));
    assert.deepEqual([second.passed, second.failed], [0, 1]);
    assert.match(second.output, /1\) fails:\n +Error: seen by the next file/);
  });

  it('counts a forbidden skip as a failure, and with dryRun only counts', async () => {
    const skipped = await worker.run(await testFile('skipped', "it.skip('is skipped', () => undefined);"));
    assert.equal(skipped.failed, 1, skipped.output);
    const file = await testFile('counted', "it('is not run', () => { throw new Error('it ran'); });");
    const counted = await worker.run(file, { dryRun: true });
    assert.deepEqual([counted.passed, counted.failed], [1, 0]);
  });

  it('says which file broke off its process, and runs the next one in another', async () => {
    const path = await testFile('exits', "it('ends the process', () => process.exit(3));");
    const broken = await worker.run(path);
    assert.deepEqual([broken.passed, broken.failed], [0, 1]);
    assert.match(broken.output, /exits\.test\.ts broke off with exit code 3\./);
    const next = await worker.run(await testFile('next', "it('passes', () => undefined);"));
    assert.deepEqual([next.passed, next.failed], [1, 0]);
  });

  it('names the files when something that they left open keeps the process from ending', async () => {
    const leaving = new Worker({ endDeadlineMs: 500 });
    const text =
      "import { createServer } from 'node:net';\nit('passes', () => void createServer().listen(0, '127.0.0.1'));";
    assert.equal((await leaving.run(await testFile('open', text))).passed, 1);
    const said = (await leaving.end()) ?? '';
    assert.match(said, /These files left something open, so that their process does not end:\n {4}\S+open\.test\.ts\n/);
  });
});
