// `npm run test:node-versions`: `npm test` on every Node release that Postern supports.
//
//   npm run test:node-versions                     everything, on each
//   npm run test:node-versions -- unit e2e         only these steps
import { delimiter, dirname, join } from 'node:path';
import { realpathSync } from 'node:fs';
import { InstallFailure, installServices, nodeVersions } from '../services/install-services.mjs';
import { isInterrupted, root, runChild } from './testing/child.mjs';
import { countsText, printNote, printStep, sumCounts } from './testing/report.mjs';

const deadlineMs = 2 * 60 * 60_000;
const results = [];

for (const version of nodeVersions) {
  if (isInterrupted()) break;
  const name = `Node ${version}`;
  const specification = `node@${version}`;
  const start = performance.now();
  const report = (counts, text, output) => {
    const seconds = (performance.now() - start) / 1000;
    printStep(name, { isGood: counts.failed === 0, text, seconds, output });
    results.push(counts);
  };
  try {
    const node = realpathSync((await installServices([specification]))[specification]);
    // First on the path, so that whatever a test starts by the name "node" is this one too.
    const env = { PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
    const args = [join(root, 'scripts/test.mjs'), ...process.argv.slice(2)];
    const { code, output } = await runChild(node, args, { env, deadlineMs });
    const [, passed, failed, skipped] = /^(\d+) passed, (\d+) failed, (\d+) skipped$/m.exec(output) ?? [];
    const counts =
      passed === undefined
        ? { passed: 0, failed: 1, skipped: 0 }
        : { passed: Number(passed), failed: Math.max(Number(failed), code === 0 ? 0 : 1), skipped: Number(skipped) };
    report(counts, countsText(counts), counts.failed === 0 ? '' : output);
  } catch (error) {
    if (!(error instanceof InstallFailure)) throw error;
    report({ passed: 0, failed: 1, skipped: 0 }, 'cannot be had', error.message);
  }
}

const sum = sumCounts(results);
printNote(countsText(sum));
if (sum.failed > 0) process.exitCode = 1;
