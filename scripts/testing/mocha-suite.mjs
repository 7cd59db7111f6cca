// Runs test files with mocha in a process of their own.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, runChild } from './child.mjs';

const mocha = join(root, 'node_modules/mocha/bin/mocha.js');
const reporter = join(root, 'scripts/testing/summary-reporter.cjs');
/** Several times what the longest takes: on a busy machine it is not the suite that hangs. */
const suiteDeadlineMs = 30 * 60_000;

/**
 * Runs the test files and gives `{ passed, failed, skipped, output }`. A run that breaks off, or does not end, counts
 * as one more failure. With `dryRun` nothing is run and `passed` is the number of tests.
 */
export async function runMocha(files, { timeoutMs, env = {}, verbose = false, dryRun = false }) {
  const directory = await mkdtemp(join(tmpdir(), 'postern-mocha-'));
  try {
    const summary = join(directory, 'summary.json');
    const args = ['--reporter', reporter, '--reporter-option', `output=${summary}`];
    if (verbose) args.push('--reporter-option', 'verbose=1');
    args.push(process.stdout.isTTY ? '--color' : '--no-color');
    if (timeoutMs !== undefined) args.push('--timeout', String(timeoutMs));
    if (dryRun) args.push('--dry-run');
    const result = await runChild(process.execPath, [mocha, ...args, ...files], {
      env,
      deadlineMs: suiteDeadlineMs,
      verbose,
    });
    const counts = await readFile(summary, 'utf8').then(JSON.parse, () => null);
    if (counts === null || result.isTooLate) {
      const { passed = 0, failed = 0, skipped = 0 } = counts ?? {};
      const reason = result.isTooLate
        ? `did not end in ${suiteDeadlineMs / 60_000} minutes${counts === null ? '' : ': something is left open'}`
        : `broke off with exit code ${result.code}`;
      return { passed, failed: failed + 1, skipped, output: `${result.output}\n  The run ${reason}.\n` };
    }
    // Mocha may fail for what is no test, such as a test that is skipped although that is forbidden.
    if (counts.failed === 0 && result.code !== 0) counts.failed = 1;
    return { ...counts, output: result.output };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
