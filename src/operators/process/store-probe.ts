import type { StartTimer } from '../../base/clock.ts';
import type { ResourceStore } from '../../resources/changes/resource-store.ts';
import { StoreUnavailable } from '../../check/store/credential-source.ts';

/** How long between two looks, and so about how old readiness and its metric are. */
const INTERVAL_MS = 2000;

/** What a {@link StoreProbe} works with. */
export interface StoreProbePorts {
  readonly resources: Pick<ResourceStore, 'find'>;
  readonly startTimer: StartTimer;
  /** Called when the store does not answer, once until it does; then with null. Also for a first look that fails. */
  readonly onChange: (fault: Error | null) => void;
}

/** Knows whether the store answers: asks it every two seconds, so that probes of others cost it nothing. */
export class StoreProbe implements Disposable {
  readonly #ports: StoreProbePorts;
  #state: 'unknown' | 'up' | 'down' | 'forbidden' = 'unknown';
  #cancel: () => void = () => undefined;
  #isDisposed = false;

  constructor(ports: StoreProbePorts) {
    this.#ports = ports;
    void this.#look();
  }

  get isUp(): boolean {
    return this.#state === 'up';
  }

  /** Null when the store answers; else why no request can be done, in words. */
  findUnreadiness(): string | null {
    if (this.#state === 'up') return null;
    return words[this.#state];
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#cancel();
  }

  async #look(): Promise<void> {
    const { resources, startTimer, onChange } = this.#ports;
    const former = this.#state;
    let fault: Error | null = null;
    try {
      await resources.find('operator', 'readyz');
    } catch (error) {
      fault = error instanceof Error ? error : new Error(String(error));
    }
    if (this.#isDisposed) return;
    this.#state = fault === null ? 'up' : isForbidden(fault) ? 'forbidden' : 'down';
    if (this.#state !== former && !(former === 'unknown' && fault === null)) onChange(fault);
    this.#cancel = startTimer(INTERVAL_MS, () => void this.#look());
  }
}

const words = {
  unknown: 'MongoDB has not answered yet',
  down: 'MongoDB does not answer',
  forbidden: 'MongoDB forbids the user of its address what this needs; the log of this process says more',
} as const;

/** Whether the store answers, and refuses: the adapter of MongoDB says so by a reason. */
function isForbidden(fault: Error): boolean {
  return fault instanceof StoreUnavailable && 'reason' in fault && fault.reason === 'forbidden';
}
