import { parseArgs } from 'node:util';
import { installServices } from '../../services/install-services.mjs';
import { print, startLiveRun } from '../framework/live-run.ts';
import { ALLOWED, type History } from './history.ts';
import { type Fault, judge } from './judge.ts';
import { type Plant, plants, promises, recordHistory } from './record.ts';

/** `npm run history`: exit code 0 only when no promise was broken, or, with `--plant`, when exactly that one was. */
const usage = `Usage: npm run history -- [--minutes N] [--seed N] [--plant ${plants.join('|')}]

Three members of MongoDB and two replicas of Postern, each in a network namespace; the network breaks at random.
Every answer, change and revocation is recorded, and judged afterwards by what the documents promise. Needs Linux and
root.

  --minutes N   30 unless given
  --seed N      the same partitions and calls again, as far as the machine lets them be the same
  --plant WHAT  puts a fault in, half a minute is enough: the judge must find it, and no other
`;

process.exitCode = await main();
// MongoDB's client keeps a process from ending.
process.exit();

async function main(): Promise<number> {
  const options = readOptions();
  if (options === null) {
    process.stderr.write(usage);
    return 2;
  }
  await installServices(['mongodb']);
  const { minutes, seed, plant } = options;
  print(`seed ${String(seed)}, ${String(minutes)} minutes${plant === null ? '' : `, planted: ${plant}`}`);
  const { stop, report } = startLiveRun();
  const history = await recordHistory({ seconds: minutes * 60, seed, plant, stop, report });
  if (stop.aborted) print('stopped early; what was recorded so far:');
  const faults = judge(history, promises);
  print(`\n${describe(history)}`);
  for (const { promise, text } of faults.slice(0, 20)) print(`${promise}: ${text}`);
  if (faults.length > 20) print(`and ${String(faults.length - 20)} more`);
  print(verdict(faults, plant));
  return isAsExpected(faults, plant) ? 0 : 1;
}

function readOptions(): { readonly minutes: number; readonly seed: number; readonly plant: Plant | null } | null {
  try {
    const { values } = parseArgs({
      options: { minutes: { type: 'string' }, seed: { type: 'string' }, plant: { type: 'string' } },
    });
    const plant = values.plant === undefined ? null : plants.find((each) => each === values.plant);
    const minutes = Number(values.minutes ?? 30);
    const seed = Number(values.seed ?? Date.now() % 1_000_000);
    return plant === undefined || !(minutes > 0) || !Number.isInteger(seed) ? null : { minutes, seed, plant };
  } catch {
    return null;
  }
}

function isAsExpected(faults: readonly Fault[], plant: Plant | null): boolean {
  if (plant === null) return faults.length === 0;
  return faults.length > 0 && faults.every(({ promise }) => promise === plant);
}

function verdict(faults: readonly Fault[], plant: Plant | null): string {
  if (plant !== null) return isAsExpected(faults, plant) ? 'the planted fault was found' : 'NOT as planted';
  return faults.length === 0 ? 'no promise was broken' : `${String(faults.length)} times a promise was broken`;
}

/** How much was recorded, and how it ended. */
function describe({ asked, changed }: History): string {
  const outcomes = countBy(asked.map(({ outcome }) => outcome));
  const told = countBy(changed.map((change) => change.told));
  const revoked = changed.filter(({ value, told: how }) => value === 'revoked' && how === 'made').length;
  const signatures = new Set(asked.flatMap(({ signature, outcome }) => (outcome === ALLOWED ? [signature] : [])));
  return [
    `${String(asked.length)} questions: ${outcomes}`,
    `${String(changed.length)} changes: ${told}; ${String(revoked)} acknowledged revocations`,
    `${String(signatures.size)} signatures accepted`,
  ].join('\n');
}

function countBy(values: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const sorted = [...counts].sort(([, one], [, other]) => other - one);
  return sorted.map(([value, count]) => `${String(count)} × ${value}`).join(', ');
}
