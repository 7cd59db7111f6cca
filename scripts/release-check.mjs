// `npm run release:check`: what a machine can check before a release. docs/releasing.md
import { formatResults, runChecks } from './release/checks.mjs';

const results = await runChecks();
process.stdout.write(formatResults(results));
process.exitCode = results.every(({ problems }) => problems.length === 0) ? 0 : 1;
