import { type LoadName } from './loads.ts';
import { type Measured, type Sample } from './measure.ts';
import { type Memory } from './process/figures.ts';
import { loadNamesOf } from './row.ts';
import { baselinesOf } from './rows.ts';
import { median, medianRatio } from './statistics.ts';

/** The medians of one row under one load. Ratios are of CPU time, taken within each round; null without the other row. */
export interface LoadFigures {
  readonly cpuUs: number;
  readonly toGrpcJs: number | null;
  readonly toGrpcGo: number | null;
  readonly toTonic: number | null;
  readonly checksPerSecond: number;
  readonly p50Us: number;
  readonly p99Us: number;
  readonly driverUs: number;
  /** CPU time of Envoy for one request; null without an Envoy. */
  readonly envoyUs: number | null;
}

/** What is shown of one row. */
export interface Figures {
  readonly name: string;
  readonly title: string;
  /** Under the loads of the row. */
  readonly loads: Readonly<Partial<Record<LoadName, LoadFigures>>>;
  readonly memory: Memory;
}

/** Sums the samples of every row up. */
export function summarize(measured: readonly Measured[]): readonly Figures[] {
  return measured.map(({ row, samples, memory }) => {
    const { grpcJs, grpcGo, tonic } = baselinesOf(row);
    const figuresOf = (load: LoadName): LoadFigures => {
      const own = samples[load] ?? [];
      const toBaseline = (name: string | undefined): number | null => {
        const baseline = measured.find((each) => each.row.name === name)?.samples[load];
        return baseline === undefined ? null : medianRatio(valuesOf(own, 'cpuUs'), valuesOf(baseline, 'cpuUs'));
      };
      const medianOf = (name: keyof Sample): number => median(valuesOf(own, name));
      return {
        cpuUs: medianOf('cpuUs'),
        toGrpcJs: toBaseline(grpcJs),
        toGrpcGo: toBaseline(grpcGo),
        toTonic: toBaseline(tonic),
        checksPerSecond: medianOf('checksPerSecond'),
        p50Us: medianOf('p50Us'),
        p99Us: medianOf('p99Us'),
        driverUs: medianOf('driverUs'),
        envoyUs: row.through === undefined ? null : medianOf('envoyUs'),
      };
    };
    const loads = Object.fromEntries(loadNamesOf(row).map((load) => [load, figuresOf(load)]));
    return { name: row.name, title: row.title, loads, memory };
  });
}

/** One figure of every sample, by round. */
export function valuesOf(samples: readonly Sample[], name: keyof Sample): readonly number[] {
  return samples.map((sample) => sample[name] ?? NaN);
}
