// `npm test`: type check, lint, and every suite, with the servers they need.
//
//   npm test                      everything
//   npm test -- e2e               only these steps: type check, lint, format, docs, unit, conformance, integration, e2e,
//                                 clients, interop
//   npm test -- --changed         only what reaches the files changed since the merge base with main, the nearest first,
//                                 for about two minutes; --since COMMIT: changed since this commit
//   npm test -- --profile         and where the time went
//   npm test -- --workers 4       so many test files at a time; 2 unless stated otherwise
//   npm test -- --verbose e2e     with what they write
//
// The files of all suites share one queue, the longest first; tools run beside them, and what is missing is installed
// meanwhile. A server that cannot be installed is named, and what needs it counts as skipped; with CI=true it is a
// failure. The last line is the sum over all suites.
import { parseArgs } from 'node:util';
import { buildIfStale } from './testing/build.mjs';
import { chooseChanged } from './testing/changed.mjs';
import { isInterrupted } from './testing/child.mjs';
import { beginInstallation } from './testing/installation.mjs';
import { profileText } from './testing/profile.mjs';
import { runQueue } from './testing/queue.mjs';
import { countsText, printNote, stepPrinter, sumCounts } from './testing/report.mjs';
import { findTestFiles, servicesFor, suites, unpromised } from './testing/suites.mjs';
import { readTimes } from './testing/times.mjs';
import { toolSteps, toolsFor } from './testing/tools.mjs';
import { Worker } from './testing/workers.mjs';

/** What small machines have; more would make the servers' deadlines meet. */
const usualWorkers = 2;
const isCi = process.env.CI === 'true';
const stepNames = [...toolSteps, ...suites.map(({ name }) => name)];

function parse() {
  const { values, positionals } = parseArgs({
    options: {
      verbose: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      changed: { type: 'boolean', default: false },
      since: { type: 'string' },
      workers: { type: 'string', default: String(usualWorkers) },
    },
    allowPositionals: true,
  });
  const { workers, since, changed } = values;
  const unknown = positionals.filter((name) => !stepNames.includes(name));
  if (unknown.length > 0) {
    throw new Error(`There is no step ${unknown.join(', ')}; there are: ${stepNames.join(', ')}`);
  }
  if (!/^[1-9]\d?$/.test(workers)) throw new Error(`--workers takes a number from 1 to 99, not "${workers}"`);
  if (since !== undefined && !changed) throw new Error('--since COMMIT goes with --changed');
  const isWanted = (name) => positionals.length === 0 || positionals.includes(name);
  return { ...values, workers: Number(workers), steps: stepNames.filter(isWanted) };
}

/** What is to run: `{ files: { suite: [file] }, tools }`. */
async function choose({ steps, changed, since }, times) {
  const all = await findTestFiles();
  const files = Object.fromEntries(suites.map(({ name }) => [name, steps.includes(name) ? all[name] : []]));
  return changed
    ? await chooseChanged({ files, steps }, { since, times, note: printNote })
    : { files, tools: toolsFor(steps) };
}

/** Begins to install what these files need, first what most of the time waits for. */
function beginInstallationFor(files, times) {
  const waiting = new Map();
  for (const file of files)
    for (const service of servicesFor(file)) waiting.set(service, (waiting.get(service) ?? 0) + times.of(file));
  const services = [...waiting.keys()].sort((a, b) => waiting.get(b) - waiting.get(a));
  return beginInstallation(services, {
    onMissing: (service, message) => {
      const effect = isCi && !unpromised.has(service) ? 'fail, because CI=true' : 'are skipped';
      printNote(`! ${message}\n  Tests that need it ${effect}.`);
    },
  });
}

/** Runs a test file on a worker; without what it needs, its tests are only counted. */
async function runFile(worker, file, { timeoutMs, installation }) {
  const isMissing = servicesFor(file).some((service) => installation.stateOf(service) === 'missing');
  const counts = await worker.run(file, { timeoutMs, dryRun: isMissing });
  return isMissing ? { ...counts, passed: 0, skipped: counts.skipped + counts.passed, measured: null } : counts;
}

async function timed(run) {
  const start = performance.now();
  const result = await run();
  return { result, seconds: (performance.now() - start) / 1000 };
}

/** Runs everything that was chosen; gives the counts by step, and what each file cost. */
async function runAll({ files, tools }, { options, times, installation }) {
  const steps = [
    ...tools.flatMap(({ names }) => names).map((name) => ({ name, jobs: 1 })),
    ...suites.map(({ name }) => ({ name, jobs: files[name].length })).filter(({ jobs }) => jobs > 0),
  ].sort((a, b) => stepNames.indexOf(a.name) - stepNames.indexOf(b.name));
  const printer = stepPrinter(steps);
  const ran = [];
  const workers = Array.from({ length: options.workers }, () => new Worker(options));
  const jobs = suites.flatMap((suite) =>
    files[suite.name].map((file) => ({
      seconds: times.of(file),
      isReady: () => servicesFor(file).every((service) => installation.stateOf(service) !== 'coming'),
      run: async (lane) => {
        const { result, seconds } = await timed(() => runFile(workers[lane], file, { ...suite, installation }));
        ran.push({ suite: suite.name, file, ...result });
        printer.add(suite.name, { ...result, seconds });
      },
    })),
  );
  const runTools = async () => {
    for (const tool of tools) {
      if (isInterrupted()) return;
      const { result, seconds } = await timed(() => tool.run(options));
      for (const [name, counts] of Object.entries(result)) printer.add(name, { ...counts, seconds });
    }
  };
  await Promise.all([
    runTools(),
    runQueue(jobs, { lanes: options.workers, changed: installation.changed, isStopped: isInterrupted }),
  ]);
  const endings = await Promise.all(workers.map((worker) => worker.end()));
  return { results: printer.results(), ran, leftOpen: endings.filter((text) => text !== null) };
}

async function main(options) {
  const times = await readTimes();
  const chosen = await choose(options, times);
  const build = await buildIfStale();
  const isBroken = build !== null && build.code !== 0;
  if (isBroken) {
    printNote(build.output);
    printNote('! The build failed; what runs dist/ will fail, too.');
  }
  const installation = beginInstallationFor(Object.values(chosen.files).flat(), times);
  const { results, ran, leftOpen } = await runAll(chosen, { options, times, installation });
  for (const text of leftOpen) printNote(text);
  if (options.profile) printNote(`\n${profileText(ran)}\n`);
  const good = ran.filter(({ failed, measured }) => failed === 0 && measured !== null);
  await times.keep(
    Object.fromEntries(good.map(({ file, measured }) => [file, Math.ceil(measured.wallSeconds * 10) / 10])),
  );

  const absent = isCi ? installation.missing().filter((service) => !unpromised.has(service)) : [];
  const sum = sumCounts(results);
  sum.failed += leftOpen.length + absent.length + (isBroken ? 1 : 0);
  if (isInterrupted()) printNote('! Interrupted.');
  printNote(countsText(sum));
  return isInterrupted() ? 130 : Math.min(sum.failed, 1);
}

let options;
try {
  options = parse();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
if (options !== undefined) process.exitCode = await main(options);
