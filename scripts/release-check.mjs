// `npm run release:check`: everything that a version has to pass, with one table at the end. docs/releasing.md
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checks, formatResults, runChecks, workingTree } from './release/checks.mjs';
import { formatSteps, runSteps } from './release/run-steps.mjs';
import { steps } from './release/steps.mjs';
import { root } from './testing/child.mjs';
import { printNote, printStep } from './testing/report.mjs';

const usage = `Usage: npm run release:check [-- [--state [CHECK …] | --list | --again] [STEP …]]

Runs every check of a release, one after the other, and prints a table of them. Hours; call it again to go on: what
passed on the same commit is not run again. Outputs and results are in build/release.
STEP: only steps whose names begin so.

  --state   only what is read from the tree: version, changelog, images, licences …, or those checks of it
  --list    print the steps, and which of them this machine cannot run
  --again   run also what passed before
  --help    print this text

Exit codes: 0 all steps passed · 1 one failed, or cannot be run here · 2 usage · 130 interrupted
`;

function readOptions() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: Object.fromEntries(['state', 'list', 'again', 'help'].map((name) => [name, { type: 'boolean' }])),
    });
  } catch (error) {
    if (error.code?.startsWith('ERR_PARSE_ARGS') !== true) throw error;
    process.stderr.write(`${error.message}\n\n${usage}`);
    return null;
  }
}

async function main() {
  const options = readOptions();
  if (options === null) return 2;
  const { values, positionals } = options;
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  if (values.state) {
    const named = checks.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
    const other = positionals.filter((wanted) => !named.some(({ name }) => name === wanted));
    if (other.length > 0) {
      process.stderr.write(`There is no check ${other.join(', ')}: ${checks.map(({ name }) => name).join(', ')}\n`);
      return 2;
    }
    const results = await runChecks(workingTree(), named);
    process.stdout.write(formatResults(results));
    return results.every(({ problems }) => problems.length === 0) ? 0 : 1;
  }
  const unknown = positionals.filter((wanted) => !steps.some(({ name }) => name.startsWith(wanted)));
  if (unknown.length > 0) {
    process.stderr.write(`There is no step ${unknown.join(', ')}: npm run release:check -- --list\n`);
    return 2;
  }
  const chosen = steps.filter(({ name }) => positionals.length === 0 || positionals.some((w) => name.startsWith(w)));
  if (values.list) {
    for (const { name, lacks } of chosen) printNote([name, lacks()].filter((text) => text !== null).join(': '));
    return 0;
  }
  return await run(chosen, values.again === true);
}

async function run(chosen, isAgain) {
  const { git } = workingTree();
  const isClean = git('status', '--porcelain') === '';
  if (!isClean) printNote('The tree has changes that are not committed: nothing is kept for the next call.');
  const results = await runSteps(chosen, {
    folder: join(root, 'build/release'),
    tree: isClean ? git('rev-parse', 'HEAD') : null,
    isAgain,
    report: ({ name, result, detail, seconds }) =>
      printStep(name, { isGood: result === 'passed', text: `${result}: ${detail}`, seconds, output: '' }),
  });
  process.stdout.write(`\n${formatSteps(results, { expected: chosen.length })}`);
  const isGood = results.length === chosen.length && results.every(({ result }) => result === 'passed');
  return isGood ? 0 : (process.exitCode ?? 1);
}

process.exitCode = await main();
