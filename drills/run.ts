import { createColors } from 'picocolors';
import { InstallFailure, installServices } from '../services/install-services.mjs';
import { drills } from './drills.ts';
import type { Drill } from './framework/drill.ts';
import { recordOutput } from './framework/recording.ts';
import { createStage } from './framework/stage.ts';
import { runHourCommand } from './hour/run.ts';

/**
 * `npm run drill -- list | NAME… | quick | all`, with `--record` to keep what is printed in drills/recorded. Exit code 0
 * only when everything was as expected.
 */
const usage = `Usage: npm run drill -- list | NAME… | quick | all
       npm run drill -- hour [--minutes N] [--rate N] [--plant wrong-answer]

Drills of what goes wrong in production, each on servers of its own on this machine. docs/drills.md describes them.
`;
const isTerminal = process.stdout.isTTY;
const colors = createColors(isTerminal);
const args = process.argv.slice(2);
const wanted = args.filter((arg) => !arg.startsWith('--'));
const isRecording = args.includes('--record');

process.exitCode = await main();
// Servers that were shared keep a process from ending.
process.exit();

async function main(): Promise<number> {
  const [first] = wanted;
  if (args[0] === 'hour') return await runHourCommand(args.slice(1));
  if (first === undefined || args.some((arg) => arg.startsWith('--') && arg !== '--record')) {
    process.stderr.write(usage);
    return 2;
  }
  if (first === 'list') {
    const width = Math.max(...drills.map(({ name }) => name.length));
    for (const { name, title } of drills) process.stdout.write(`${name.padEnd(width)}  ${title}\n`);
    return 0;
  }
  const chosen = choose(wanted);
  if (typeof chosen === 'string') {
    process.stderr.write(chosen);
    return 2;
  }
  const failed: string[] = [];
  for (const drill of chosen) if (!(await runOne(drill))) failed.push(drill.name);
  if (chosen.length > 1) {
    const outcome = failed.length === 0 ? 'all as expected' : `failed: ${failed.join(', ')}`;
    process.stdout.write(`\n${String(chosen.length)} drills, ${outcome}\n`);
  }
  return failed.length === 0 ? 0 : 1;
}

function choose(names: readonly string[]): readonly Drill[] | string {
  if (names[0] === 'all') return drills;
  if (names[0] === 'quick') return drills.filter(({ isQuick }) => isQuick);
  const unknown = names.filter((name) => !drills.some((drill) => drill.name === name));
  if (unknown.length > 0) return `There is no drill ${unknown.join(', ')}: npm run drill -- list\n`;
  return drills.filter(({ name }) => names.includes(name));
}

async function runOne({ name, title, services, run }: Drill): Promise<boolean> {
  try {
    await installServices([...services]);
  } catch (error) {
    if (!(error instanceof InstallFailure)) throw error;
    process.stderr.write(`${error.message}\n`);
    return false;
  }
  let printed = '';
  const stage = createStage((text) => {
    printed += text;
    process.stdout.write(text);
  }, isTerminal);
  process.stdout.write(`\n${colors.bold(`${name}: ${title}`)}\n`);
  const startMs = performance.now();
  try {
    await run(stage);
  } catch (error) {
    process.stdout.write(`\n${colors.red(`✗ ${error instanceof Error ? error.message : String(error)}`)}\n`);
    return false;
  }
  const seconds = ((performance.now() - startMs) / 1000).toFixed(0);
  process.stdout.write(`\n${colors.green(`✓ ${name}: everything was as expected`)} (${seconds} s)\n`);
  if (isRecording) recordOutput(name, printed);
  return true;
}
