import { type LoadName, loadNames } from './loads.ts';
import { type Measured, type Sample } from './measure.ts';
import { type Memory } from './process/figures.ts';
import { baselinesOf } from './rows.ts';
import { median } from './statistics.ts';

/** The medians of one row under one load. Ratios are of CPU time, taken within each round; null without the other row. */
export interface LoadFigures {
  readonly cpuUs: number;
  readonly toGrpcJs: number | null;
  readonly toGrpcGo: number | null;
  readonly checksPerSecond: number;
  readonly p50Us: number;
  readonly p99Us: number;
  readonly driverUs: number;
}

/** What is shown of one row. */
export interface Figures {
  readonly name: string;
  readonly title: string;
  readonly loads: Readonly<Record<LoadName, LoadFigures>>;
  readonly memory: Memory;
}

/** Sums the samples of every row up. */
export function summarize(measured: readonly Measured[]): readonly Figures[] {
  const samplesOf = (name: string, load: LoadName): readonly Sample[] | null =>
    measured.find(({ row }) => row.name === name)?.samples[load] ?? null;
  return measured.map(({ row, samples, memory }) => {
    const baselines = baselinesOf(row);
    const figuresOf = (load: LoadName): LoadFigures => ({
      cpuUs: medianOf(samples[load], 'cpuUs'),
      toGrpcJs: ratio(samples[load], samplesOf(baselines.grpcJs, load)),
      toGrpcGo: ratio(samples[load], samplesOf(baselines.grpcGo, load)),
      checksPerSecond: medianOf(samples[load], 'checksPerSecond'),
      p50Us: medianOf(samples[load], 'p50Us'),
      p99Us: medianOf(samples[load], 'p99Us'),
      driverUs: medianOf(samples[load], 'driverUs'),
    });
    const [busy, calm] = loadNames;
    return { name: row.name, title: row.title, loads: { [busy]: figuresOf(busy), [calm]: figuresOf(calm) }, memory };
  });
}

function medianOf(samples: readonly Sample[], name: keyof Sample): number {
  return median(samples.map((sample) => sample[name]));
}

function ratio(samples: readonly Sample[], others: readonly Sample[] | null): number | null {
  if (others === null) return null;
  return median(samples.map(({ cpuUs }, round) => cpuUs / (others[round]?.cpuUs ?? NaN)));
}
