import type { StartTimer } from '../../base/clock.ts';
import type { ResourceStore } from '../../resources/changes/resource-store.ts';

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
  #state: 'unknown' | 'up' | 'down' = 'unknown';
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
    return this.#state === 'down' ? 'MongoDB does not answer' : 'MongoDB has not answered yet';
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
    this.#state = fault === null ? 'up' : 'down';
    if (this.#state !== former && !(former === 'unknown' && fault === null)) onChange(fault);
    this.#cancel = startTimer(INTERVAL_MS, () => void this.#look());
  }
}
