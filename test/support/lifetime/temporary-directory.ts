import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A directory of its own for one test; disposing removes it with everything in it. */
export interface TemporaryDirectory extends AsyncDisposable {
  readonly path: string;
}

/** Makes a directory; it is gone at the latest when the test process ends. */
export async function temporaryDirectory(): Promise<TemporaryDirectory> {
  const path = await mkdtemp(join(tmpdir(), 'postern-test-'));
  const removeAtExit = (): void => {
    rmSync(path, { recursive: true, force: true });
  };
  process.on('exit', removeAtExit);
  return {
    path,
    [Symbol.asyncDispose]: async () => {
      process.off('exit', removeAtExit);
      await rm(path, { recursive: true, force: true });
    },
  };
}
