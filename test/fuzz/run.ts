import { parseArgs } from 'node:util';

import { mutate } from './mutate.ts';
import { Random } from './random.ts';
import { keepFinding, readSeeds } from './seeds.ts';
import type { FuzzTarget } from './fuzz-target.ts';
import { fuzzTargets } from './targets.ts';

const USAGE = `npm run fuzz -- [--seconds N | --inputs N] [--seed N] [TARGET…]

Attacks each parser with changed seeds for N seconds (default 5), or with N inputs. An input that breaks a promise, or takes longer than
a second, is kept below test/fuzz/seeds and ends the run with exit code 1. --seed repeats a run.
Targets: ${fuzzTargets.map(({ name }) => name).join(', ')}`;
/** Inputs have at most 64 KiB: whatever takes this much time of the processor is no linear work. */
const STALL_MS = 1000;

/** Time of the processor for one run, so that a busy machine is not taken for a slow parser. */
async function processorMs(target: FuzzTarget, input: Buffer): Promise<number> {
  const before = process.cpuUsage();
  await target.run(input);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** How long a target is attacked. */
interface Length {
  readonly seconds: number;
  readonly inputs: number;
}

async function fuzz(target: FuzzTarget, { seconds, inputs }: Length, random: Random): Promise<boolean> {
  const corpus = readSeeds(target.name);
  if (corpus.length === 0) corpus.push(Buffer.alloc(0));
  const outcomes = new Set<string>();
  const endMs = performance.now() + seconds * 1000;
  let runs = 0;
  for (let nowMs = performance.now(); nowMs < endMs && runs < inputs; runs += 1) {
    const input =
      runs < corpus.length
        ? (corpus[runs] ?? Buffer.alloc(0))
        : mutate(random.pick(corpus), corpus, target.words, random);
    const startMs = nowMs;
    try {
      const outcome = await target.run(input);
      // What comes to something new is a better place to start from than what does not.
      if (!outcomes.has(outcome)) corpus.push(input);
      outcomes.add(outcome);
    } catch (error) {
      console.error(`${target.name}: ${String(error)}\n  input kept in ${keepFinding(target.name, input)}`);
      return false;
    }
    nowMs = performance.now();
    if (nowMs - startMs > STALL_MS && (await processorMs(target, input)) > STALL_MS) {
      console.error(`${target.name}: more than ${String(STALL_MS)} ms for ${String(input.length)} bytes`);
      console.error(`  input kept in ${keepFinding(target.name, input)}`);
      return false;
    }
  }
  console.log(`${target.name.padEnd(20)} ${String(runs).padStart(9)} inputs, ${String(outcomes.size)} outcomes`);
  return true;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string' },
    inputs: { type: 'string' },
    seed: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const inputs = Number(values.inputs ?? Infinity);
const seconds = Number(values.seconds ?? (values.inputs === undefined ? 5 : Infinity));
const seed = Number(values.seed ?? Date.now() % 2 ** 32);
const unknown = positionals.filter((name) => !fuzzTargets.some((target) => target.name === name));
if (values.help) {
  console.log(USAGE);
} else if (!(seconds > 0) || !(inputs > 0) || !Number.isSafeInteger(seed) || unknown.length > 0) {
  console.error(USAGE);
  process.exitCode = 2;
} else {
  const length = values.inputs === undefined ? `${String(seconds)} s` : `${String(inputs)} inputs`;
  console.log(`seed ${String(seed)}, ${length} for each target`);
  const chosen = fuzzTargets.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  for (const target of chosen) {
    if (!(await fuzz(target, { seconds, inputs }, new Random(seed)))) process.exitCode = 1;
    await target.stop?.();
  }
}
