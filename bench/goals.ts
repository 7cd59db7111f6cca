import type { Goal, Results } from './bounds.ts';
import {
  envoyGoal,
  memoryGoal,
  microseconds,
  moreThanKey,
  shareOf,
  times,
  together,
  toGrpcGo,
  toParts,
  toTonic,
  unlessLess,
} from './bounds.ts';
import { keyKinds } from './fixtures/key-pairs.ts';
import { messageBaselines, messageRowName, messageRowNames } from './message-rows.ts';
import { assertionName } from './token-endpoint.ts';

/** A goal and what was measured. */
export interface Outcome {
  readonly text: string;
  /** A figure for each bound; null where it was not measured. */
  readonly values: readonly (number | null)[];
  readonly isMet: boolean;
}

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
  toGrpcGo('key-10k', 'busy', 0.36),
  toTonic('key-10k', 'busy', 0.9),
  toGrpcGo('hmac-10k', 'busy', 0.36),
  toTonic('hmac-10k', 'busy', 0.9),
  toTonic('hmac', 'saturated', 1),
  ...together('hmac', { grpcGo: 0.76, tonic: 1.05 }),
  toGrpcGo('hmac-100k', 'calm', 0.5),
  toTonic('hmac-100k', 'calm', 1.2),
  toTonic('hmac-100k', 'busy', 1.2),
  toGrpcGo('hmac-1m', 'busy', 0.7),
  toGrpcGo('hmac-10m', 'calm', 0.85),
  {
    subject: 'p99 of hmac-10m, calm',
    anyOf: [times('hmac-10m', 'grpc-go-hmac-10m', 'calm', 1.2, 'grpc-go', ['p99Us'])],
  },
  {
    subject: 'p99 of key checks beside hmac with 10 MiB, 5/s',
    anyOf: [
      {
        atMost: 1.3,
        unit: ' × alone',
        of: ({ beside }) => beside['small-beside-large']?.at(-1)?.p99ToAlone ?? null,
      },
    ],
  },
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
    anyOf: [times(`parameters-json-${size}`, `sha512-${size}`, 'busy', 1.6, 'SHA-512 of its text')],
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
    anyOf: [times('envoy-key', 'envoy-plain', 'saturated', 2.1, 'envoy-plain', ['envoyUs'])],
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
