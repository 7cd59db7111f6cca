import type { BesideResults } from './beside.ts';
import { keyKinds } from './fixtures/key-pairs.ts';
import { valuesOf } from './figures.ts';
import type { LoadName } from './loads.ts';
import type { Measured, Sample } from './measure.ts';
import type { MemoryFigures } from './memory.ts';
import { messageBaselines, messageRowName, messageRowNames } from './message-rows.ts';
import type { Row } from './row.ts';
import { differences, median, medianRatio } from './statistics.ts';
import { assertionName, type TokenFigures } from './token-endpoint.ts';

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
interface Bound {
  readonly atMost: number;
  /** What follows the number: ` µs`. */
  readonly unit: string;
  /** Null when a row that it needs was not measured. */
  readonly of: (results: Results) => number | null;
}

/** A promise about figures. The bench says whether it is kept; nothing fails by it. */
interface Goal {
  readonly subject: string;
  /** One of them is enough. */
  readonly anyOf: readonly Bound[];
}

/** A goal and what was measured. */
export interface Outcome {
  readonly text: string;
  /** A figure for each bound; null where it was not measured. */
  readonly values: readonly (number | null)[];
  readonly isMet: boolean;
}

/**
 * What a key check on grpc-go takes where the goals in µs for limits and tokens were set. On another machine the same
 * share of that check is enough.
 */
const GRPC_GO_KEY_US = 29.4;

/** All of them, in the order in which they are shown. */
export const goals: readonly Goal[] = [
  ...(['busy', 'calm'] as const).flatMap((load) => [
    { subject: `CPU of key, ${load}`, anyOf: [times('key', 'grpc-js-full', load, 0.5, 'grpc-js')] },
    {
      subject: `CPU of endpoints-10000, ${load}`,
      anyOf: [times('endpoints-10000', 'endpoints-10', load, 2, 'endpoints-10')],
    },
  ]),
  toGrpcGo('key', 'busy', 0.36),
  toGrpcGo('hmac', 'busy', 0.36),
  envoyGoal('open', 15),
  envoyGoal('key', 18),
  envoyGoal('hmac', 20),
  ...['open', 'key', 'hmac'].map((row) => toGrpcGo(row, 'steady', 0.5)),
  ...([0.5, 0.5, 0.65, 0.85] as const).map((atMost, at) =>
    toGrpcGo(`hmac${['-1k', '-100k', '-1m', '-10m'][at] ?? ''}`, 'saturated', atMost),
  ),
  ...messageRowNames.flatMap(({ kind, suffix }) => {
    const row = messageRowName(kind, suffix);
    const { key, verifyNode, verifyGo, grpcGo } = messageBaselines(kind, suffix);
    return [
      { subject: `CPU of ${row}, busy`, anyOf: [toParts(row, [verifyNode, key], 1.15)] },
      {
        subject: `CPU of ${row}, busy`,
        anyOf: [unlessLess(verifyGo, verifyNode, times(row, grpcGo, 'busy', 0.8, 'grpc-go'))],
      },
    ];
  }),
  {
    subject: 'p99 of key checks beside P-256 signatures, 2000/s',
    anyOf: [
      {
        atMost: 1.5,
        unit: ' × alone',
        of: ({ beside }) => beside['key-beside-signatures']?.at(-1)?.p99ToAlone ?? null,
      },
    ],
  },
  ...keyKinds.map((kind) => ({
    subject: `CPU of ${assertionName}-${kind}`,
    anyOf: [
      {
        atMost: 1.15,
        unit: ' × (token-endpoint + crypto.verify)',
        of: ({ tokens }: Results) => tokens?.find(({ name }) => name === `${assertionName}-${kind}`)?.toParts ?? null,
      },
    ],
  })),
  { subject: 'CPU of jwt-remembered, busy', anyOf: [times('jwt-remembered', 'key', 'busy', 1.2, 'key')] },
  { subject: 'CPU of jwt-new, busy', anyOf: [toParts('jwt-new', ['verify-node-p256', 'key'], 1.2)] },
  toGrpcGo('parameters-url', 'busy', 0.45),
  toGrpcGo('parameters-form', 'busy', 0.45),
  ...['100k', '1m'].map((size) => ({
    subject: `CPU of parameters-json-${size}, busy`,
    anyOf: [times(`parameters-json-${size}`, `hmac-${size}`, 'busy', 1.5, `hmac-${size}`)],
  })),
  { subject: 'CPU of limit-service-once, busy', anyOf: moreThanKey('limit-service-once', 25) },
  { subject: 'CPU of limit, busy', anyOf: moreThanKey('limit', 3) },
  { subject: 'CPU of certificate, busy', anyOf: [times('certificate', 'key', 'busy', 1.3, 'key')] },
  {
    subject: 'CPU of bearer-new, busy',
    anyOf: [
      microseconds('bearer-new', 'busy', 18),
      times('bearer-new', 'grpc-go-key', 'busy', shareOf(18), 'grpc-go-key'),
    ],
  },
  {
    subject: 'CPU of Envoy, envoy-key, saturated',
    anyOf: [times('envoy-key', 'envoy-plain', 'saturated', 2.1, 'envoy-plain', 'envoyUs')],
  },
  memoryGoal('idle after checks', ({ afterChecksMiB }) => afterChecksMiB),
  memoryGoal('idle after bodies of 10 MiB', ({ afterLargeBodiesMiB }) => afterLargeBodiesMiB),
];

/** Judges every goal of which a bound was measured. */
export function judgeGoals(results: Results): readonly Outcome[] {
  return goals.flatMap(({ subject, anyOf }) => {
    const values = anyOf.map(({ of }) => of(results));
    if (values.every((value) => value === null)) return [];
    const bounds = anyOf.map(({ atMost, unit }) => `≤ ${String(atMost)}${unit}`);
    const isMet = anyOf.some(({ atMost }, at) => (values[at] ?? Infinity) <= atMost);
    return [{ text: `${subject} ${bounds.join(' or ')}`, values, isMet }];
  });
}

/** The CPU time of a row against that of the same check on grpc-go; under the loads of Envoy, of the rows through Envoy. */
function toGrpcGo(row: string, load: LoadName, atMost: number): Goal {
  return { subject: `CPU of ${nameOf(row, load)}, ${load}`, anyOf: [boundToGrpcGo(row, load, atMost)] };
}

function boundToGrpcGo(row: string, load: LoadName, atMost: number): Bound {
  return times(nameOf(row, load), nameOf(`grpc-go-${row}`, load), load, atMost, 'grpc-go');
}

/** What a check through a saturated Envoy may cost. */
function envoyGoal(row: string, atMostUs: number): Goal {
  const own = microseconds(nameOf(row, 'saturated'), 'saturated', atMostUs);
  return {
    subject: `CPU of ${nameOf(row, 'saturated')}, saturated`,
    anyOf: [own, boundToGrpcGo(row, 'saturated', 0.4)],
  };
}

function nameOf(row: string, load: LoadName): string {
  return load === 'saturated' || load === 'steady' ? `envoy-${row}` : row;
}

function memoryGoal(when: string, of: (memory: MemoryFigures) => number): Goal {
  return {
    subject: `memory ${when}`,
    anyOf: [{ atMost: 90, unit: ' MiB', of: ({ memory }) => (memory === null ? null : of(memory)) }],
  };
}

function microseconds(row: string, load: LoadName, atMost: number): Bound {
  return {
    atMost,
    unit: ' µs',
    of: (results) => {
      const values = seriesOf(results, row, load);
      return values === null ? null : median(values);
    },
  };
}

function times(
  row: string,
  other: string,
  load: LoadName,
  atMost: number,
  otherName: string,
  figure: keyof Sample = 'cpuUs',
): Bound {
  return {
    atMost,
    unit: ` × ${otherName}`,
    of: (results) => {
      const values = seriesOf(results, row, load, figure);
      const others = seriesOf(results, other, load, figure);
      return values === null || others === null ? null : medianRatio(values, others);
    },
  };
}

/** The CPU time of a row against that of its parts together, which are measured under the busy load. */
function toParts(row: string, parts: readonly string[], atMost: number): Bound {
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
function unlessLess(row: string, other: string, bound: Bound): Bound {
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
function moreThanKey(row: string, atMostUs: number): readonly Bound[] {
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

function shareOf(atMostUs: number): number {
  return Math.floor((atMostUs / GRPC_GO_KEY_US) * 100) / 100;
}

/** One figure of a row by round; null when it was not measured under that load. */
function seriesOf(
  { measured }: Results,
  name: string,
  load: LoadName,
  figure: keyof Sample = 'cpuUs',
): readonly number[] | null {
  const samples = measured.find(({ row }) => row.name === name)?.samples[load];
  return samples === undefined ? null : valuesOf(samples, figure);
}
