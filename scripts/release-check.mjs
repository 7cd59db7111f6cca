// `npm run release:check`: what a machine can check before a release. docs/releasing.md
import { runChecks } from './release/checks.mjs';

const results = await runChecks();
for (const { name, problems } of results) {
  process.stdout.write(
    `${problems.length === 0 ? '✓' : '✗'} ${name}\n${problems.map((text) => `  ${text}\n`).join('')}`,
  );
}
const failed = results.filter(({ problems }) => problems.length > 0).length;
process.stdout.write(
  failed === 0 ? 'Ready, as far as a machine can tell.\n' : `${failed} of ${results.length} checks failed.\n`,
);
process.exitCode = failed === 0 ? 0 : 1;
