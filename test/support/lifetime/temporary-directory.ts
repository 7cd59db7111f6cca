import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A directory of its own for one test; disposing removes it with everything in it. */
export interface TemporaryDirectory extends AsyncDisposable {
  readonly path: string;
}

/** A server that was just killed may still write; then removing is tried again. */
const removal = { recursive: true, force: true, maxRetries: 5 } as const;

/** Those that are there, to be removed with the test process. */
const kept = new Set<string>();
process.on('exit', () => {
  for (const path of kept) rmSync(path, removal);
});
// Without this the signal would end the process and nothing else.
process.on('SIGTERM', () => process.exit(143));

/** Makes a directory; it is gone at the latest when the test process ends. */
export async function temporaryDirectory(): Promise<TemporaryDirectory> {
  const path = await mkdtemp(join(tmpdir(), 'postern-test-'));
  kept.add(path);
  return {
    path,
    [Symbol.asyncDispose]: async () => {
      kept.delete(path);
      await rm(path, removal);
    },
  };
}
