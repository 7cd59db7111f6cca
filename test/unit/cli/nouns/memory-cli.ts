import { Readable } from 'node:stream';
import type { Clock } from '../../../../src/base/clock.ts';
import type { ReplicaDirectory } from '../../../../src/resources/changes/replicas.ts';
import type { StoreWish } from '../../../../src/cli/opened-store.ts';
import { RefusalMemory } from '../../../../src/check/refusals/refusal-memory.ts';
import type { RefusalRecord, RefusalSource } from '../../../../src/check/refusals/refusal-record.ts';
import { TrafficMemory } from '../../../../src/stores/traffic/traffic-memory.ts';
import type { Terminal } from '../../../../src/cli/terminal.ts';
import { memoryDue } from '../../../support/manage/memory-due.ts';
import type { InitialResources, MemoryResourceStore } from '../../../support/manage/memory-resource-store.ts';
import { type CommandResult, type Given, runCli } from '../run-cli.ts';

/** The time of these tests: 2026-09-21T14:13:20Z. */
export const nowSeconds = 1_790_000_000;

/** `postern` with a store in memory. */
export interface MemoryCli {
  readonly store: MemoryResourceStore;
  readonly refusals: RefusalMemory;
  /** Requests that were counted. */
  readonly traffic: TrafficMemory;
  /** What commands wished of the store, one for each time that they opened it. */
  readonly wishes: readonly StoreWish[];
  /** Those of the store; null unless a test sets them. */
  replicas: ReplicaDirectory | null;
  /** How often a store was closed. */
  closed(): number;
  /** Moves the clock. */
  setNow(seconds: number): void;
  run(
    args: readonly string[],
    given?: Omit<Given, 'ports'> & { environment?: Terminal['environment'] },
  ): Promise<CommandResult>;
  /** Runs a command that ends with 0 and nothing on the error stream but who gets in; gives what it printed. */
  done(...args: readonly string[]): Promise<string>;
}

/** Without a rate limit service, commands that set long limits have a note on the error stream. */
const withRateLimits = { POSTERN_RATE_LIMIT_SERVICE: '127.0.0.1:8081' };

/** Of a grant for labels that tests give to nobody, and of an endpoint for everybody who has a credential. */
const WHO_GETS_IN = /^note: (?:no consumer carries|every consumer with a credential) .*\n/gm;

/** Begins with these resources. */
export async function memoryCli(initial: InitialResources = {}): Promise<MemoryCli> {
  // Imported as the commands import theirs: a test that was required has its own classes, whose faults they do not know.
  const { MemoryResourceStore } = await import('../../../support/manage/memory-resource-store.ts');
  let now = nowSeconds;
  const clock: Clock = { nowSeconds: () => now, nowMs: () => now * 1000, elapsedMs: () => 0 };
  const store = new MemoryResourceStore(initial, clock);
  const refusals = new RefusalMemory();
  const traffic = new TrafficMemory();
  const wishes: StoreWish[] = [];
  let closed = 0;
  let replicas: ReplicaDirectory | null = null;
  const run: MemoryCli['run'] = async (args, { environment = {}, ...given } = {}) =>
    await runCli(args, environment, {
      ...given,
      ports: {
        clock,
        openStore: async (wish) => {
          wishes.push(wish);
          return await Promise.resolve({
            resources: store,
            usage: store,
            due: memoryDue(store),
            audit: store,
            refusals: sourceOf(refusals),
            traffic,
            actor: 'ada',
            sealed: null,
            isTokenRevoked: null,
            sessions: null,
            once: null,
            jobs: null,
            directory: null,
            replicas,
            file: null,
            [Symbol.asyncDispose]: async () => {
              closed += 1;
              await Promise.resolve();
            },
          });
        },
      },
    });
  return {
    store,
    refusals,
    traffic,
    wishes,
    get replicas() {
      return replicas;
    },
    set replicas(given) {
      replicas = given;
    },
    closed: () => closed,
    setNow: (seconds) => {
      now = seconds;
    },
    run,
    done: async (...args) => {
      const { code, out, err } = await run(args, { environment: withRateLimits });
      if (code !== 0 || err.replaceAll(WHO_GETS_IN, '') !== '')
        throw new Error(`postern ${args.join(' ')} ended with ${String(code)}: ${err}${out}`);
      return out;
    },
  };
}

function sourceOf(memory: RefusalMemory): RefusalSource {
  return {
    find: (selection) => ({
      records: Readable.from(memory.select(selection).records) as AsyncIterable<RefusalRecord>,
      countLeftOut: async () => await Promise.resolve(memory.select(selection).leftOut),
    }),
  };
}
