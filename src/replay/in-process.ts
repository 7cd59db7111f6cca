import type { Clock } from '../clock.ts';
import { StoreUnavailable } from '../store/credential-source.ts';
import type { ReplayGuard, Reservation } from './replay-guard.ts';

/** About 60 MiB, and with a window of 300 s more than 700 new signatures each second. */
export const MAX_REMEMBERED = 500_000;

const SPAN_SECONDS = 60;

/**
 * {@link ReplayGuard} in the memory of one process: a restart forgets, and other replicas know nothing of it. When it is
 * full it throws `StoreUnavailable` rather than forget a signature that still counts.
 */
export class InProcessReplayGuard implements ReplayGuard {
  readonly #clock: Clock;
  readonly #maxRemembered: number;
  /** By the span in which they are forgotten, so that forgetting takes no time however many they are. */
  readonly #spans = new Map<number, Set<string>>();
  #size = 0;

  constructor(clock: Clock, maxRemembered: number = MAX_REMEMBERED) {
    this.#clock = clock;
    this.#maxRemembered = maxRemembered;
  }

  /** How many signatures are remembered. */
  get size(): number {
    return this.#size;
  }

  reserve(key: string, untilSeconds: number): Reservation {
    this.#forget();
    for (const remembered of this.#spans.values()) {
      if (remembered.has(key)) return 'repeated';
    }
    if (this.#size >= this.#maxRemembered) {
      throw new StoreUnavailable(
        `${String(this.#maxRemembered)} signatures are remembered, and there is no room for another until some of them expire`,
      );
    }
    const span = Math.ceil(untilSeconds / SPAN_SECONDS);
    const remembered = this.#spans.get(span);
    if (remembered === undefined) this.#spans.set(span, new Set([key]));
    else remembered.add(key);
    this.#size += 1;
    return 'first';
  }

  #forget(): void {
    const nowSeconds = this.#clock.nowSeconds();
    for (const [span, remembered] of this.#spans) {
      if (span * SPAN_SECONDS > nowSeconds) continue;
      this.#spans.delete(span);
      this.#size -= remembered.size;
    }
  }
}
