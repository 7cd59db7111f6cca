import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareWith, formatComparisons } from './against.ts';
import { type BesideResults, measureBeside } from './beside.ts';
import { type DriverName, drivers } from './driver/driver.ts';
import { summarize } from './figures.ts';
import { envoyNeeds } from './envoy/start-envoy.ts';
import { type Files, writeFiles } from './fixtures/files.ts';
import { KeyPairs } from './fixtures/key-pairs.ts';
import { createPartners } from './fixtures/partners.ts';
import { describeMachine } from './machine.ts';
import { measure, type Measured } from './measure.ts';
import { measureMemory, memoryName } from './memory.ts';
import { type Options, parseOptions, usage } from './options.ts';
import { findMissing, isBuildStale } from './peers/missing.ts';
import type { Peer } from './peers/peer.ts';
import { buildGoPrograms } from './peers/go-build.ts';
import { buildRustProgram } from './peers/rust-build.ts';
import { peers } from './peers/peers.ts';
import { prepareRows } from './prepare.ts';
import { createProgress } from './progress.ts';
import { formatReport, type Omission } from './report.ts';
import { createCheckEditor } from './requests/edit-check.ts';
import { readRecordedCheck } from './requests/recorded-check.ts';
import { judgeGoals } from './goals.ts';
import type { RequestPorts, Row } from './row.ts';
import { measureTokenEndpoint, type TokenFigures, tokenEndpointName } from './token-endpoint.ts';
import { groupRows } from './rows.ts';

/** Measures what is asked for, and gives it as text: for people, or JSON. */
async function run(options: Options): Promise<string> {
  const progress = createProgress(process.stderr);
  progress('building the Go programs');
  const goFault = buildGoPrograms();
  const driver: DriverName = options.driver ?? (goFault === null ? 'go' : 'node');
  const recorded = readRecordedCheck();
  const requests: RequestPorts = {
    partners: createPartners(),
    keyPairs: new KeyPairs(),
    edit: createCheckEditor(recorded.message),
  };
  const directory = await temporaryDirectory();
  // Each service listens for the end of this process.
  process.setMaxListeners(process.getMaxListeners() + options.rows.length);
  try {
    progress('writing declarative files');
    const files = await writeFiles({ directory, node: options.node }, requests, recorded);
    const omitted: Omission[] = goFault === null ? [] : [{ name: 'Go programs', reason: goFault }];
    if (options.rows.some(({ peer }) => peer.startsWith('tonic'))) {
      progress('building the Rust program');
      const rustFault = buildRustProgram();
      if (rustFault !== null) omitted.push({ name: 'the Rust program', reason: rustFault });
    }
    if (isBuildStale()) omitted.push({ name: 'the newest source', reason: 'dist/ is older than src/: npm run build' });
    const measurable: Row[] = [];
    for (const row of options.rows) {
      const { needs = [] }: Peer = peers[row.peer];
      const missing = findMissing([...needs, ...(row.through === undefined ? [] : envoyNeeds)]);
      if (missing === null) measurable.push(row);
      else omitted.push({ name: row.name, reason: missing });
    }
    const machine = {
      ...describeMachine(options.node),
      driver: drivers[driver].title,
      rounds: String(options.plan.rounds),
    };
    const ports = { driver, requests, onProgress: progress };
    if (options.against !== null) {
      const comparisons = await compareWith(options.against, measurable, files, { plan: options.plan, ports });
      progress(null);
      return options.json
        ? `${JSON.stringify({ machine, plan: options.plan, comparisons, omitted }, null, 2)}\n`
        : formatComparisons(comparisons, options.against);
    }
    const measured: Measured[] = [];
    for (const rows of groupRows(measurable)) {
      const measurables = rows.map((row) => ({ row, peer: peers[row.peer] }));
      await using prepared = await prepareRows(measurables, files, ports);
      measured.push(...(await measure(prepared.rows, options.plan, ports)));
    }
    const beside = goFault === null ? await runBeside(files, requests, options, progress) : {};
    if (goFault !== null) omitted.push(...options.besides.map((name) => ({ name, reason: goFault })));
    const tokens = options.isTokenEndpoint ? await runTokenEndpoint(files, requests, options, progress) : null;
    if (options.isMemory) progress(memoryName);
    const memory = options.isMemory ? await measureMemory(files, { plan: options.plan, driver, requests }) : null;
    const goals = judgeGoals({ measured, memory, beside, tokens });
    const report = {
      machine,
      plan: options.plan,
      rows: summarize(measured),
      beside,
      tokens,
      memory,
      goals,
      omitted,
    };
    return options.json ? `${JSON.stringify(report, null, 2)}\n` : formatReport(report);
  } finally {
    progress(null);
  }
}

async function runTokenEndpoint(
  files: Files,
  requests: RequestPorts,
  { plan: { rounds }, isAssertion }: Options,
  progress: (text: string) => void,
): Promise<readonly TokenFigures[]> {
  progress(tokenEndpointName);
  return await measureTokenEndpoint(files, requests, { rounds, withAssertions: isAssertion });
}

async function runBeside(
  files: Files,
  requests: RequestPorts,
  { besides, plan: { rounds } }: Options,
  progress: (text: string) => void,
): Promise<BesideResults> {
  const results: { -readonly [K in keyof BesideResults]: BesideResults[K] } = {};
  for (const name of besides) {
    progress(name);
    results[name] = await measureBeside(name, files, { requests, rounds });
  }
  return results;
}

/** A directory that is removed when the process ends, however it ends; services end with it too. */
async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'postern-bench-'));
  process.on('exit', () => {
    rmSync(directory, { recursive: true, force: true });
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(130));
  return directory;
}

/** Exit codes: 0 measured, 1 failed, 2 usage. */
async function main(args: readonly string[]): Promise<number> {
  let options: Options | null;
  try {
    options = parseOptions(args);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return 2;
  }
  if (options === null) {
    process.stdout.write(usage);
    return 0;
  }
  try {
    process.stdout.write(await run(options));
    return 0;
  } catch (error) {
    process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

process.exitCode = await main(process.argv.slice(2));
