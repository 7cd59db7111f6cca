import { parseArgs } from 'node:util';
import { installServices } from '../../services/install-services.mjs';
import { print, startLiveRun } from '../framework/live-run.ts';
import { sumOf } from './answers.ts';
import { type HourReport, type HourOptions, runHour } from './hour.ts';
import { script } from './script.ts';

/** The part of `npm run drill` that is no drill to read, but an hour to judge. */
export const usage = `Usage: npm run drill -- hour [--minutes N] [--rate N] [--plant wrong-answer]

Everything at once on servers of its own, and every answer judged. Needs Linux and root, for a disk that can be full.

  --minutes N           60 unless given; all of it happens in a shorter time, too
  --rate N              checks a second, 3000 unless given
  --plant wrong-answer  lets a revoked key in again behind Postern's back: this must be found
`;

/** Memory and descriptors say nothing before they have had so long to grow. */
const LEAST_MINUTES_TO_GROW = 20;
const MOST_GROWTH = 0.05;

/** Runs it with the arguments after `hour`, prints one table, and gives the exit code: 1 when a goal is missed. */
export async function runHourCommand(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  if (options === null) {
    process.stderr.write(usage);
    return 2;
  }
  await installServices(['envoy', 'mongodb', 'ratelimit', 'redis']);
  const { stop, report } = startLiveRun();
  const hour = await runHour({ ...options, stop, report });
  const rows = rowsOf(hour, options);
  const width = Math.max(...rows.map(({ what }) => what.length));
  const figureWidth = Math.max(...rows.map(({ figure }) => figure.length));
  print('');
  for (const { what, figure, goal, isMet } of rows) {
    const verdict = goal === null ? '' : `  ${isMet ? 'met' : 'MISSED'}: ${goal}`;
    print(`${what.padEnd(width)}  ${figure.padStart(figureWidth)}${verdict}`);
  }
  for (const text of detailsOf(hour)) print(text);
  if (options.plant !== null) {
    const isFound = [...hour.tally.wrong.keys()].some((kind) => kind.startsWith('revoked key 200'));
    print(isFound ? 'the planted fault was found' : 'the planted fault was NOT found');
    return isFound ? 0 : 1;
  }
  return rows.every(({ isMet }) => isMet) ? 0 : 1;
}

interface Row {
  readonly what: string;
  readonly figure: string;
  readonly goal: string | null;
  readonly isMet: boolean;
}

function rowsOf(
  { tally, perSecond, changes, past, missed, growth, picture }: HourReport,
  options: Options,
): readonly Row[] {
  const figure = (what: string, value: string): Row => ({ what, figure: value, goal: null, isMet: true });
  const none = (what: string, count: number): Row => ({ what, figure: String(count), goal: '0', isMet: count === 0 });
  const flat = (what: string, value: number): Row => {
    const text = `${(value * 100).toFixed(1)} %`;
    if (options.minutes < LEAST_MINUTES_TO_GROW) return figure(what, text);
    return { what, figure: text, goal: `at most ${String(MOST_GROWTH * 100)} %`, isMet: value <= MOST_GROWTH };
  };
  const worst = Math.max(0, ...tally.p99Ms);
  return [
    figure('answers', `${String(tally.sent)}, ${perSecond.toFixed(0)}/s of ${String(options.perSecond)}`),
    figure('refused', `${((tally.refused / Math.max(1, tally.sent)) * 100).toFixed(1)} %`),
    none('wrong answers', sumOf(tally.wrong)),
    none('known callers without a decision', sumOf(tally.failed)),
    figure('others without a decision', String(sumOf(tally.undecided))),
    figure('answers and changes of the history', `${String(past.asked)}, ${String(past.changed)}`),
    none('broken promises', past.faults.length),
    figure('changes made, not made', `${String(sumOf(changes.made))}, ${String(sumOf(changes.refused))}`),
    none(`what did not happen of ${String(script.length)}`, missed.length),
    flat('growth of memory since minute ten', growth.memory),
    flat('growth of descriptors since minute ten', growth.descriptors),
    figure('worst p99 of a minute', `${worst.toFixed(0)} ms`),
    figure('p99 by minute', picture),
  ];
}

/** What is behind the figures that are not 0. */
function detailsOf({ tally, changes, past, missed }: HourReport): readonly string[] {
  const counts = (title: string, of: ReadonlyMap<string, number>): readonly string[] =>
    [...of].map(([key, count]) => `${title}: ${String(count)} × ${key}`);
  return [
    ...counts('wrong', tally.wrong),
    ...counts('without a decision', tally.failed),
    ...counts('without a decision', tally.undecided),
    ...counts('made', changes.made),
    ...counts('not made', changes.refused),
    ...past.faults.slice(0, 20).map(({ promise, text }) => `${promise}: ${text}`),
    ...missed.map((text) => `did not happen: ${text}`),
  ];
}

type Options = Pick<HourOptions, 'minutes' | 'perSecond' | 'plant'>;

function readOptions(args: readonly string[]): Options | null {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { minutes: { type: 'string' }, rate: { type: 'string' }, plant: { type: 'string' } },
    });
    const minutes = Number(values.minutes ?? 60);
    const perSecond = Number(values.rate ?? 3000);
    const plant = values.plant === undefined ? null : values.plant === 'wrong-answer' ? values.plant : undefined;
    return plant === undefined || !(minutes > 0) || !(perSecond > 0) ? null : { minutes, perSecond, plant };
  } catch {
    return null;
  }
}
