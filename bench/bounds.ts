import type { BesideResults } from './beside.ts';
import type { LoadName } from './loads.ts';
import type { Measured, Sample } from './measure.ts';
import type { MemoryFigures } from './memory.ts';
import type { Row } from './row.ts';
import { differences, median, medianRatio } from './statistics.ts';
import type { TokenFigures } from './token-endpoint.ts';

/** What goals are judged by. */
export interface Results {
  readonly measured: readonly (Pick<Measured, 'samples'> & { readonly row: Pick<Row, 'name'> })[];
  /** Null when it was not measured. */
  readonly memory: MemoryFigures | null;
  readonly beside: BesideResults;
  /** Null when it was not measured. */
  readonly tokens: readonly TokenFigures[] | null;
}

/** A figure and the most that it may be. */
export interface Bound {
  readonly atMost: number;
  /** What follows the number: ` µs`. */
  readonly unit: string;
  /** Null when a row that it needs was not measured. */
  readonly of: (results: Results) => number | null;
}

/** A promise about figures. The bench says whether it is kept; nothing fails by it. */
export interface Goal {
  readonly subject: string;
  /** One of them is enough. */
  readonly anyOf: readonly Bound[];
}

/**
 * What a key check on grpc-go takes where the goals in µs for limits and tokens were set. On another machine the same
 * share of that check is enough.
 */
const GRPC_GO_KEY_US = 29.4;

/** The CPU time of a row against that of the same check on grpc-go; under the loads of Envoy, of the rows through Envoy. */
export function toGrpcGo(row: string, load: LoadName, atMost: number): Goal {
  return { subject: `CPU of ${nameOf(row, load)}, ${load}`, anyOf: [boundToGrpcGo(row, load, atMost)] };
}

/** The CPU time of a row against that of the same check on tonic. */
export function toTonic(row: string, load: LoadName, atMost: number): Goal {
  const name = nameOf(row, load);
  const tonic = nameOf(`tonic-${row}`, load);
  return { subject: `CPU of ${name}, ${load}`, anyOf: [times(name, tonic, load, atMost, 'tonic')] };
}

/** The CPU time of the service and of Envoy together, against that of Envoy and each peer. */
export function together(row: string, atMost: { readonly grpcGo: number; readonly tonic: number }): readonly Goal[] {
  const both = ['cpuUs', 'envoyUs'] as const;
  const bounds = [
    [`envoy-grpc-go-${row}`, atMost.grpcGo, 'grpc-go'],
    [`envoy-tonic-${row}`, atMost.tonic, 'tonic'],
  ] as const;
  return bounds.map(([peer, most, name]) => ({
    subject: `CPU of envoy-${row} and Envoy, saturated`,
    anyOf: [times(`envoy-${row}`, peer, 'saturated', most, name, both)],
  }));
}

function boundToGrpcGo(row: string, load: LoadName, atMost: number): Bound {
  return times(nameOf(row, load), nameOf(`grpc-go-${row}`, load), load, atMost, 'grpc-go');
}

/** What a check through a saturated Envoy may cost. */
export function envoyGoal(row: string, atMostUs: number): Goal {
  const own = microseconds(nameOf(row, 'saturated'), 'saturated', atMostUs);
  return {
    subject: `CPU of ${nameOf(row, 'saturated')}, saturated`,
    anyOf: [own, boundToGrpcGo(row, 'saturated', 0.4)],
  };
}

function nameOf(row: string, load: LoadName): string {
  return load === 'saturated' || load === 'steady' ? `envoy-${row}` : row;
}

/** What an idle service may hold. */
export function memoryGoal(when: string, of: (memory: MemoryFigures) => number): Goal {
  return {
    subject: `memory ${when}`,
    anyOf: [{ atMost: 90, unit: ' MiB', of: ({ memory }) => (memory === null ? null : of(memory)) }],
  };
}

/** The CPU time of a row. */
export function microseconds(row: string, load: LoadName, atMost: number): Bound {
  return {
    atMost,
    unit: ' µs',
    of: (results) => {
      const values = seriesOf(results, row, load);
      return values === null ? null : median(values);
    },
  };
}

/** A figure of a row, or the sum of some, against that of another row under the same load. */
export function times(
  row: string,
  other: string,
  load: LoadName,
  atMost: number,
  otherName: string,
  figures: readonly (keyof Sample)[] = ['cpuUs'],
): Bound {
  return {
    atMost,
    unit: ` × ${otherName}`,
    of: (results) => {
      const values = seriesOf(results, row, load, figures);
      const others = seriesOf(results, other, load, figures);
      return values === null || others === null ? null : medianRatio(values, others);
    },
  };
}

/** The CPU time of a row against that of its parts together, which are measured under the busy load. */
export function toParts(row: string, parts: readonly string[], atMost: number): Bound {
  return {
    atMost,
    unit: ` × (${parts.join(' + ')})`,
    of: (results) => {
      const values = seriesOf(results, row, 'busy');
      const others = parts.map((part) => seriesOf(results, part, 'busy'));
      if (values === null || others.includes(null)) return null;
      const sums = values.map((_, round) => others.reduce((sum, each) => sum + (each?.[round] ?? NaN), 0));
      return medianRatio(values, sums);
    },
  };
}

/** A bound that says nothing where one row takes less than another one. */
export function unlessLess(row: string, other: string, bound: Bound): Bound {
  return {
    ...bound,
    of: (results) => {
      const values = seriesOf(results, row, 'busy');
      const others = seriesOf(results, other, 'busy');
      if (values === null || others === null || median(values) < median(others)) return null;
      return bound.of(results);
    },
  };
}

/** What a row may cost more than `key`, in µs or as a share of a key check on grpc-go. */
export function moreThanKey(row: string, atMostUs: number): readonly Bound[] {
  const load = 'busy';
  const excess = (results: Results): readonly number[] | null => {
    const own = seriesOf(results, row, load);
    const key = seriesOf(results, 'key', load);
    return own === null || key === null ? null : differences(own, key);
  };
  return [
    {
      atMost: atMostUs,
      unit: ' µs more than key',
      of: (results) => {
        const values = excess(results);
        return values === null ? null : median(values);
      },
    },
    {
      atMost: shareOf(atMostUs),
      unit: ' × grpc-go-key more',
      of: (results) => {
        const values = excess(results);
        const grpcGo = seriesOf(results, 'grpc-go-key', load);
        return values === null || grpcGo === null ? null : medianRatio(values, grpcGo);
      },
    },
  ];
}

/** A time as a share of a key check on grpc-go. */
export function shareOf(atMostUs: number): number {
  return Math.floor((atMostUs / GRPC_GO_KEY_US) * 100) / 100;
}

/** A figure of a row, or the sum of some, by round; null when it was not measured under that load. */
function seriesOf(
  { measured }: Results,
  name: string,
  load: LoadName,
  figures: readonly (keyof Sample)[] = ['cpuUs'],
): readonly number[] | null {
  const samples = measured.find(({ row }) => row.name === name)?.samples[load];
  if (samples === undefined) return null;
  return samples.map((sample) => figures.reduce((sum, figure) => sum + (sample[figure] ?? NaN), 0));
}
