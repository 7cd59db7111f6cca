import { type Figures } from './figures.ts';
import { baselines } from './rows.ts';

/** A promise about the figures of one row. The bench tells whether it is kept; nothing fails by it. */
export interface Goal {
  readonly text: string;
  readonly row: string;
  readonly value: (figures: Figures) => number;
  readonly atMost: number;
}

/** A goal and what was measured. */
export interface Outcome {
  readonly text: string;
  readonly value: number;
  readonly isMet: boolean;
}

const goals: readonly Goal[] = [
  ratioGoal('key', 'busy', 0.5, `key check against ${baselines.grpcJs}, CPU, busy`, 'toGrpcJs'),
  ratioGoal('key', 'calm', 0.5, `key check against ${baselines.grpcJs}, CPU, calm`, 'toGrpcJs'),
  ratioGoal('key', 'busy', 1.8, `key check against ${baselines.grpcGo}, CPU, busy`, 'toGrpcGo'),
  ratioGoal('key', 'calm', 1.8, `key check against ${baselines.grpcGo}, CPU, calm`, 'toGrpcGo'),
  {
    text: 'resident memory with 10 000 credentials, MiB',
    row: 'key',
    value: ({ memory }) => memory.residentMiB,
    atMost: 150,
  },
];

/** Judges every goal whose rows were measured. */
export function judgeGoals(measured: readonly Figures[]): readonly Outcome[] {
  return goals.flatMap(({ text, row, value, atMost }) => {
    const found = measured.find(({ name }) => name === row);
    const measuredValue = found === undefined ? NaN : value(found);
    if (Number.isNaN(measuredValue)) return [];
    return [{ text: `${text} ≤ ${String(atMost)}`, value: measuredValue, isMet: measuredValue <= atMost }];
  });
}

function ratioGoal(
  row: string,
  load: 'busy' | 'calm',
  atMost: number,
  text: string,
  to: 'toGrpcJs' | 'toGrpcGo',
): Goal {
  return { text, row, atMost, value: ({ loads }) => loads[load][to] ?? NaN };
}
