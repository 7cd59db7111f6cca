// Runs test files one after the other in a worker of their own.
import { isInterrupted } from './child.mjs';
import { Worker } from './workers.mjs';

const timeoutMs = 120_000;

/** Runs files with these variables, and gives the sum: `{ passed, failed, skipped, output }`, the output of failures. */
export async function runFiles(files, env) {
  const worker = new Worker({ env });
  const counts = { passed: 0, failed: 0, skipped: 0, output: '' };
  for (const file of files) {
    if (isInterrupted()) break;
    const { passed, failed, skipped, output } = await worker.run(file, { timeoutMs });
    counts.passed += passed;
    counts.failed += failed;
    counts.skipped += skipped;
    if (failed > 0) counts.output += output;
  }
  const leftOpen = await worker.end();
  return leftOpen === null ? counts : { ...counts, failed: counts.failed + 1, output: counts.output + leftOpen };
}
