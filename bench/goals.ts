import { type Figures } from './figures.ts';
import { type LoadName, loadNames } from './loads.ts';

/** Gives the figures of a row; undefined when it was not measured. */
type Find = (row: string) => Figures | undefined;

/** A promise about figures. The bench tells whether it is kept; nothing fails by it. */
interface Goal {
  readonly text: string;
  /** Null or undefined when a row that it needs was not measured. */
  readonly value: (find: Find) => number | null | undefined;
  readonly atMost: number;
}

/** A goal and what was measured. */
export interface Outcome {
  readonly text: string;
  readonly value: number;
  readonly isMet: boolean;
}

/** Where the bytes decide, not the work for a message. */
const largeBodies = ['hmac-100k', 'hmac-1m', 'hmac-10m'] as const;

const goals: readonly Goal[] = [
  ...loadNames.flatMap((load) => [
    cpuGoal('key', load, 'grpc-js', 0.5),
    cpuGoal('key', load, 'grpc-go', 1.8),
    tableGoal(load),
  ]),
  ...loadNames.flatMap((load) => [
    ...['hmac', 'hmac-1k', ...largeBodies].map((row) => cpuGoal(row, load, 'grpc-js', 0.5)),
    ...['hmac', 'hmac-1k'].map((row) => cpuGoal(row, load, 'grpc-go', 2)),
    ...largeBodies.map((row) => cpuGoal(row, load, 'grpc-go', 1.1)),
  ]),
  memoryGoal('key'),
  memoryGoal('key-refused'),
];

/** Judges every goal whose rows were measured. */
export function judgeGoals(figures: readonly Figures[]): readonly Outcome[] {
  const find: Find = (row) => figures.find(({ name }) => name === row);
  return goals.flatMap(({ text, value, atMost }) => {
    const measured = value(find) ?? null;
    return measured === null
      ? []
      : [{ text: `${text} ≤ ${String(atMost)}`, value: measured, isMet: measured <= atMost }];
  });
}

/** The CPU time of a row against that of its baseline. */
function cpuGoal(row: string, load: LoadName, baseline: 'grpc-js' | 'grpc-go', atMost: number): Goal {
  const ratio = baseline === 'grpc-js' ? 'toGrpcJs' : 'toGrpcGo';
  return { text: `CPU of ${row} / ${baseline}, ${load}`, value: (find) => find(row)?.loads[load][ratio], atMost };
}

/** Resident memory with 10 000 credentials. */
function memoryGoal(row: string): Goal {
  return { text: `MiB resident after ${row}`, value: (find) => find(row)?.memory.residentMiB, atMost: 150 };
}

/** What the size of the endpoint table may cost. */
function tableGoal(load: LoadName): Goal {
  return {
    text: `CPU of endpoints-10000 / endpoints-10, ${load}`,
    value: (find) => {
      const [many, few] = [find('endpoints-10000'), find('endpoints-10')];
      return many === undefined || few === undefined ? null : many.loads[load].cpuUs / few.loads[load].cpuUs;
    },
    atMost: 2,
  };
}
