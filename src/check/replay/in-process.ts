import type { Clock } from '../../base/clock.ts';
import { StoreUnavailable } from '../store/credential-source.ts';
import { FairShares, type Holder, holderName } from './fair-shares.ts';
import {
  rememberedSeconds,
  rememberedUntil,
  type ReplayGuard,
  replayKeyOf,
  type Reservation,
  type UsedKind,
  type UsedSignature,
} from './replay-guard.ts';

/** About 60 MiB, and with a window of 300 s more than 700 new signatures each second. */
export const MAX_REMEMBERED = 500_000;

const SPAN_SECONDS = 60;
/** A clock that was ahead by years must not keep a signature for years. */
const MAX_EXTRA_SECONDS = 86_400;
/** Forgotten times closer to each other than this are one span. Not more: what lies between was not forgotten. */
const NEAR_SECONDS = 60;
const MAX_FORGOTTEN_SPANS = 32;

/** Signatures that were used within one minute; forgotten together, which takes no time however many they are. */
interface Span {
  readonly startedMs: number;
  lastMs: number;
  /** By the machine's clock. */
  lastSeconds: number;
  earliestSigned: number;
  latestSigned: number;
  /** How long what is in it must be remembered at least, whatever the window is: for assertions. */
  leastSeconds: number;
  readonly keys: Set<string>;
  /** How many of them each holder has. */
  readonly byHolder: Map<string, { readonly holder: Holder; count: number }>;
}

interface Memory {
  spans: Span[];
  readonly forgotten: ForgottenTimes;
  windowSeconds: number;
}

/**
 * {@link ReplayGuard} in the memory of one process: a restart forgets, and other replicas know nothing of it.
 *
 * **Its memory is shared fairly** ({@link FairShares}): whatever some do, there is room for the others. Only when that
 * is used up too it throws `StoreUnavailable` rather than forget a signature that still counts.
 *
 * **Forgetting** waits until the window has passed by time that went by and by the machine's clock, so that a clock
 * that steps forward, or forward and back, forgets nothing. How long the window is counts when something is forgotten,
 * not when it is remembered: a clock skew that is raised keeps what is there for longer.
 */
export class InProcessReplayGuard implements ReplayGuard {
  readonly #clock: Clock;
  readonly #maxRemembered: number;
  readonly #memories = new Map<UsedKind, Memory>();
  readonly #shares = new FairShares();
  readonly #refused = { share: 0, memory: 0 };
  #size = 0;

  constructor(clock: Clock, maxRemembered: number = MAX_REMEMBERED) {
    this.#clock = clock;
    this.#maxRemembered = maxRemembered;
  }

  get size(): number {
    return this.#size;
  }

  /** Signatures that found no room: because of a share, and because of the memory as a whole. */
  get refused(): Readonly<Record<'share' | 'memory', number>> {
    return this.#refused;
  }

  reserve(used: UsedSignature, windowSeconds: number): Reservation {
    const memory = this.#memoryOf(used.method);
    memory.windowSeconds = rememberedSeconds(windowSeconds);
    this.#forget();
    const key = replayKeyOf(used);
    for (const { keys } of memory.spans) if (keys.has(key)) return 'repeated';
    if (memory.forgotten.has(used.signedAtSeconds)) return 'outdated';
    const free = this.#maxRemembered - this.#size;
    if (free <= 0) {
      this.#refused.memory += 1;
      throw new StoreUnavailable(
        `${String(this.#maxRemembered)} signatures are remembered, and there is no room for another until some of them expire`,
      );
    }
    if (!this.#shares.hasRoom(used, free)) {
      this.#refused.share += 1;
      return { retryAfterSeconds: SPAN_SECONDS };
    }
    const span = this.#openSpan(memory, used);
    span.keys.add(key);
    noteIn(span, used);
    this.#shares.add(used, 1);
    this.#size += 1;
    return 'first';
  }

  #memoryOf(method: UsedKind): Memory {
    let memory = this.#memories.get(method);
    if (memory === undefined) {
      memory = { spans: [], forgotten: new ForgottenTimes(), windowSeconds: 0 };
      this.#memories.set(method, memory);
    }
    return memory;
  }

  /** The span of this moment, which from now on lasts until now and covers this signed time. */
  #openSpan({ spans }: Memory, { signedAtSeconds: signedAt, expiresAtSeconds }: UsedSignature): Span {
    const nowMs = this.#clock.nowMs();
    const nowSeconds = this.#clock.nowSeconds();
    let span = spans.at(-1);
    const isOpen =
      span !== undefined &&
      nowMs - span.startedMs < SPAN_SECONDS * 1000 &&
      // What was signed before and after the clock was set is not of one time.
      Math.abs(nowSeconds - span.lastSeconds) <= SPAN_SECONDS;
    if (span === undefined || !isOpen) {
      span = {
        startedMs: nowMs,
        lastMs: nowMs,
        lastSeconds: nowSeconds,
        earliestSigned: signedAt,
        latestSigned: signedAt,
        leastSeconds: 0,
        keys: new Set(),
        byHolder: new Map(),
      };
      spans.push(span);
    }
    span.lastMs = nowMs;
    span.lastSeconds = Math.max(span.lastSeconds, nowSeconds);
    span.earliestSigned = Math.min(span.earliestSigned, signedAt);
    span.latestSigned = Math.max(span.latestSigned, signedAt);
    if (expiresAtSeconds !== undefined) {
      span.leastSeconds = Math.max(span.leastSeconds, rememberedUntil(expiresAtSeconds) - nowSeconds);
    }
    return span;
  }

  #forget(): void {
    const nowMs = this.#clock.nowMs();
    const nowSeconds = this.#clock.nowSeconds();
    for (const memory of this.#memories.values()) {
      const { windowSeconds } = memory;
      // The oldest come first, and go first but after a clock was set.
      if (!memory.spans.some((span) => isOver(span, { windowSeconds, nowMs, nowSeconds }))) continue;
      memory.spans = memory.spans.filter((span) => {
        if (!isOver(span, { windowSeconds, nowMs, nowSeconds })) return true;
        this.#drop(memory, span);
        return false;
      });
    }
  }

  #drop({ forgotten }: Memory, { keys, byHolder, earliestSigned, latestSigned }: Span): void {
    forgotten.note(earliestSigned, latestSigned);
    this.#size -= keys.size;
    for (const { holder, count } of byHolder.values()) this.#shares.add(holder, -count);
  }
}

function noteIn({ byHolder }: Span, { consumerId, credentialId }: Holder): void {
  const name = holderName({ consumerId, credentialId });
  const entry = byHolder.get(name);
  if (entry === undefined) byHolder.set(name, { holder: { consumerId, credentialId }, count: 1 });
  else entry.count += 1;
}

interface Moment {
  readonly windowSeconds: number;
  readonly nowMs: number;
  readonly nowSeconds: number;
}

function isOver({ lastMs, lastSeconds, leastSeconds }: Span, moment: Moment): boolean {
  const { nowMs, nowSeconds } = moment;
  const windowSeconds = Math.max(moment.windowSeconds, leastSeconds);
  const passedSeconds = (nowMs - lastMs) / 1000;
  if (passedSeconds < windowSeconds) return false;
  return nowSeconds - lastSeconds >= windowSeconds || passedSeconds >= windowSeconds + MAX_EXTRA_SECONDS;
}

interface ForgottenSpan {
  from: number;
  to: number;
}

/**
 * Of which signed times used signatures were forgotten. A signature from such a time may have been used: its time was
 * over before, and only a clock that was set back, or a clock skew that was raised, brings it back.
 *
 * Spans apart from each other are kept apart: times forgotten while the clock was ahead mean nothing for today.
 * Their number is bounded: of too many the closest two become one.
 */
class ForgottenTimes {
  #spans: ForgottenSpan[] = [];

  /** Notes that signatures of these times, in seconds since the epoch, were forgotten. */
  note(from: number, to: number): void {
    const apart: ForgottenSpan[] = [];
    const joined = { from, to };
    for (const span of this.#spans) {
      if (span.from > to + NEAR_SECONDS || span.to < from - NEAR_SECONDS) apart.push(span);
      else {
        joined.from = Math.min(joined.from, span.from);
        joined.to = Math.max(joined.to, span.to);
      }
    }
    this.#spans = [...apart, joined].sort((a, b) => a.from - b.from);
    if (this.#spans.length > MAX_FORGOTTEN_SPANS) this.#joinClosest();
  }

  /** Whether a signature of this time may have been forgotten. */
  has(seconds: number): boolean {
    return this.#spans.some(({ from, to }) => from <= seconds && seconds <= to);
  }

  #joinClosest(): void {
    let closest = 1;
    const gapBefore = (at: number): number => (this.#spans[at]?.from ?? 0) - (this.#spans[at - 1]?.to ?? 0);
    for (let at = 2; at < this.#spans.length; at += 1) if (gapBefore(at) < gapBefore(closest)) closest = at;
    const [later] = this.#spans.splice(closest, 1);
    const earlier = this.#spans[closest - 1];
    if (later !== undefined && earlier !== undefined) earlier.to = Math.max(earlier.to, later.to);
  }
}
