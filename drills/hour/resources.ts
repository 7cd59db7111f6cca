import { readdir, readFile } from 'node:fs/promises';

/** What a process holds at a moment. */
export interface Held {
  readonly residentMib: number;
  readonly descriptors: number;
}

/** What processes held in a part of the run, by their names: the middle of what was seen. */
export type HeldByName = ReadonlyMap<string, Held>;

interface Sample extends Held {
  readonly atMs: number;
}

/** Looks every few seconds at what some processes hold, until it is disposed. */
export class ResourceWatch implements Disposable {
  readonly #samples = new Map<string, Sample[]>();
  readonly #ticking: NodeJS.Timeout;

  /** @param pids the processes by name, as they are at that moment: one may be replaced by another */
  constructor(pids: () => ReadonlyMap<string, number>, everyMs: number) {
    this.#ticking = setInterval(() => {
      for (const [name, pid] of pids()) {
        // One that ended a moment ago holds nothing.
        readHeld(pid).then(
          (held) => {
            this.#note(name, held);
          },
          () => undefined,
        );
      }
    }, everyMs);
  }

  /** From `fromMs` on and before `untilMs`, by `performance.now()`; names without a sample are left out. */
  between(fromMs: number, untilMs: number): HeldByName {
    const found = [...this.#samples].flatMap(([name, samples]) => {
      const within = samples.filter(({ atMs }) => atMs >= fromMs && atMs < untilMs);
      if (within.length === 0) return [];
      const held: Held = {
        residentMib: medianOf(within.map(({ residentMib }) => residentMib)),
        descriptors: medianOf(within.map(({ descriptors }) => descriptors)),
      };
      return [[name, held] as const];
    });
    return new Map(found);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#ticking);
  }

  #note(name: string, held: Held): void {
    const samples = this.#samples.get(name) ?? [];
    this.#samples.set(name, samples);
    samples.push({ ...held, atMs: performance.now() });
  }
}

/** By how much the most grown of them grew, as a part of what it held: 0.05 is 5 %. */
export function growthOf(before: HeldByName, after: HeldByName, what: keyof Held): number {
  const growths = [...after].map(([name, held]) => {
    const former = before.get(name)?.[what];
    return former === undefined || former === 0 ? 0 : held[what] / former - 1;
  });
  return Math.max(0, ...growths);
}

async function readHeld(pid: number): Promise<Held> {
  const folder = `/proc/${String(pid)}`;
  const status = await readFile(`${folder}/status`, 'utf8');
  const resident = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? '0';
  return { residentMib: Number(resident) / 1024, descriptors: (await readdir(`${folder}/fd`)).length };
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}
