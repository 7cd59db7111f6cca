// `npm test`: type check, lint, and every suite, with the servers they need.
//
//   npm test                      everything
//   npm test -- e2e               only these steps: type check, lint, format, docs, unit, conformance, integration, e2e,
//                                 clients
//   npm test -- --verbose e2e     with what they write
//
// A server that cannot be installed is named, and what needs it counts as skipped; with CI=true it is a failure.
// The last line is the sum over all suites.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { InstallFailure, installServices } from '../services/install-services.mjs';
import { progressPrinter } from '../services/progress.mjs';
import { buildIfStale } from './testing/build.mjs';
import { isInterrupted, root, runChild } from './testing/child.mjs';
import { runMocha } from './testing/mocha-suite.mjs';
import { countsText, printNote, printStep, sumCounts } from './testing/report.mjs';
import { findTestFiles, servicesFor, suites, unpromised } from './testing/suites.mjs';

/** Two, because that is what small machines have; more would make the servers' deadlines meet. */
const maxParallel = 2;
const toolDeadlineMs = 10 * 60_000;
const isCi = process.env.CI === 'true';

const { values: options, positionals: wanted } = parseArgs({
  options: { verbose: { type: 'boolean', default: false } },
  allowPositionals: true,
});

const installed = (program) => join(root, 'node_modules/.bin', program);

/** A tool that says yes or no: it adds to the failures only. */
function tool(name, program, ...args) {
  const run = async () => {
    const { code, output } = await runChild(program, args, {
      deadlineMs: toolDeadlineMs,
      verbose: options.verbose,
    });
    return { passed: 0, failed: code === 0 ? 0 : 1, skipped: 0, output, text: code === 0 ? 'good' : 'failed' };
  };
  return { name, run };
}

function suite({ name, timeoutMs }, files, missing) {
  const run = async () => {
    const isRunnable = (file) => servicesFor(file).every((service) => !missing.has(service));
    const runnable = files.filter(isRunnable);
    const others = files.filter((file) => !isRunnable(file));
    const counts = await runFiles(runnable, { timeoutMs, verbose: options.verbose });
    const left = await runFiles(others, { dryRun: true });
    const sum = { ...counts, skipped: counts.skipped + left.passed, failed: counts.failed + left.failed };
    return { ...sum, output: counts.output + (left.failed > 0 ? left.output : ''), text: countsText(sum) };
  };
  return { name, run };
}

function runFiles(files, settings) {
  return files.length === 0 ? { passed: 0, failed: 0, skipped: 0, output: '' } : runMocha(files, settings);
}

/** Installs what the wanted files need, and gives what cannot be had. */
async function installFor(files) {
  const missing = new Set();
  const print = progressPrinter(process.stdout);
  for (const service of new Set(files.flatMap(servicesFor))) {
    try {
      await installServices([service], {
        onProgress: (event) => {
          if (event.origin !== 'present') print(event);
        },
      });
    } catch (error) {
      if (!(error instanceof InstallFailure)) throw error;
      const isFailure = isCi && !unpromised.has(service);
      printNote(`! ${error.message}\n  Tests that need it ${isFailure ? 'fail, because CI=true' : 'are skipped'}.`);
      missing.add(service);
    }
  }
  return missing;
}

/** Runs steps, at most two at a time, and prints them in their order. */
async function runSteps(steps) {
  const results = [];
  const queue = [...steps.entries()];
  let printed = 0;
  const work = async () => {
    for (let next = queue.shift(); next !== undefined && !isInterrupted(); next = queue.shift()) {
      const [index, { run }] = next;
      const start = performance.now();
      const result = await run();
      results[index] = { ...result, seconds: (performance.now() - start) / 1000 };
      for (; results[printed] !== undefined; printed += 1) {
        printStep(steps[printed].name, { ...results[printed], isGood: results[printed].failed === 0 });
      }
    }
  };
  await Promise.all(Array.from({ length: maxParallel }, work));
  return results.filter((result) => result !== undefined);
}

async function main() {
  const files = await findTestFiles();
  const names = ['type check', 'lint', 'format', 'docs', ...suites.map(({ name }) => name)];
  const unknown = wanted.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    process.stderr.write(`There is no step ${unknown.join(', ')}; there are: ${names.join(', ')}\n`);
    return 2;
  }
  const isWanted = (name) => wanted.length === 0 || wanted.includes(name);

  const build = await buildIfStale();
  if (build !== null && build.code !== 0) {
    printNote(build.output);
    printNote('! The build failed; what runs dist/ will fail, too.');
  }
  const missing = await installFor(suites.filter(({ name }) => isWanted(name)).flatMap(({ name }) => files[name]));
  const steps = [
    tool('type check', installed('tsc'), '-p', 'tsconfig.test.json'),
    tool('lint', installed('eslint'), '.'),
    tool('format', installed('biome'), 'format', '.'),
    tool('docs', process.execPath, 'scripts/docs.mjs'),
    ...suites.map((each) => suite(each, files[each.name], missing)),
  ].filter(({ name }) => isWanted(name));

  const results = await runSteps(steps);
  const sum = sumCounts(results);
  sum.failed +=
    (build === null || build.code === 0 ? 0 : 1) +
    (isCi ? [...missing].filter((service) => !unpromised.has(service)).length : 0);
  if (isInterrupted()) printNote('! Interrupted.');
  printNote(countsText(sum));
  return isInterrupted() ? 130 : Math.min(sum.failed, 1);
}

process.exitCode = await main();
