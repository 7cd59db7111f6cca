import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileStore } from '../../../../src/stores/file/file-store.ts';
import { type Environment } from '../../../../src/stores/file/load-document.ts';
import type { StoreState } from '../../../../src/check/store/check-store.ts';

/** What a store told, in order. */
export type Told =
  | { readonly kind: 'state'; readonly consumers: readonly string[] }
  | { readonly kind: 'problems'; readonly messages: readonly string[] }
  | { readonly kind: 'read' }
  | { readonly kind: 'defect'; readonly message: string };

/** A clock that stands still until it is moved. */
export class StillClock {
  ms = 1_700_000_000_000;
  nowMs(): number {
    return this.ms;
  }
  elapsedMs(): number {
    return this.ms;
  }
  nowSeconds(): number {
    return Math.floor(this.ms / 1000);
  }
}

/** Keeps what a store tells until the test asks for it. */
export class Listener {
  readonly #told: Told[] = [];
  #wake: (() => void) | null = null;
  onState: ((state: StoreState) => void) | null = null;

  tell(told: Told): void {
    this.#told.push(told);
    this.#wake?.();
  }

  /** The next thing told; waits for it as long as the test may take. */
  async next(): Promise<Told> {
    for (;;) {
      const told = this.#told.shift();
      if (told !== undefined) return told;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** What was told and not yet asked for. */
  get waiting(): readonly Told[] {
    return this.#told;
  }
}

/** A store on a file, with what it tells. */
export interface OpenStore extends AsyncDisposable {
  readonly store: FileStore;
  /** The state in force. */
  readonly state: StoreState;
  readonly listener: Listener;
  readonly clock: StillClock;
}

/** Opens a store that looks at its files all the time. */
export async function openStore(
  path: string,
  environment: Environment = {},
  listener = new Listener(),
): Promise<OpenStore> {
  const clock = new StillClock();
  let inForce: StoreState | null = null;
  const store = await FileStore.open(path, {
    clock,
    environment,
    pollIntervalMs: 5,
    workerEntry: typeScriptWorker(),
    observer: {
      loaded: (_, state) => {
        const isFirst = inForce === null;
        inForce = state;
        if (isFirst) return;
        listener.onState?.(state);
        listener.tell({ kind: 'state', consumers: idsOf(state) });
      },
      refused: (_, problems) => {
        const messages = problems.map((problem) => problem.slice(path.length + 1).replace(/^(\d+):\d+:/, '$1:'));
        listener.tell({ kind: 'problems', messages });
      },
      defect: (_, error) => {
        listener.tell({ kind: 'defect', message: String(error) });
      },
    },
  });
  return {
    store,
    get state() {
      assert.ok(inForce !== null);
      return inForce;
    },
    listener,
    clock,
    [Symbol.asyncDispose]: async () => {
      await store[Symbol.asyncDispose]();
    },
  };
}

/** The thread's program from its source: Node loads TypeScript in a thread only when that thread asks for it. */
function typeScriptWorker(): URL {
  const program = `
    import { createRequire } from 'node:module';
    const require = createRequire(${JSON.stringify(import.meta.url)});
    require('tsx/cjs/api').register();
    require('../../../../src/stores/file/document-worker.ts');`;
  return new URL(`data:text/javascript,${encodeURIComponent(program)}`);
}

/** The ids of the consumers of a state. */
export function idsOf(state: StoreState): readonly string[] {
  return state.consumers.map(({ id }) => id);
}

/** A document with these consumers. */
export function documentOf(...consumers: readonly string[]): string {
  return `version: 1\nconsumers:\n${consumers.map((id) => `  - id: ${id}\n`).join('')}`;
}

/** Gives each test of a suite a folder of its own. */
export function temporaryFolder(): (name: string) => string {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'postern-file-store-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });
  return (name) => join(folder, name);
}
