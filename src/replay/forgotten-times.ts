/** Spans closer to each other than this are one. Not more: what lies between them was not forgotten. */
const NEAR_SECONDS = 60;
const MAX_SPANS = 32;

interface Span {
  from: number;
  to: number;
}

/**
 * Of which signed times used signatures were forgotten. A signature from such a time may have been used: its time was over
 * before, and only a clock that was set back, or a clock skew that was raised, brings it back.
 *
 * Spans apart from each other are kept apart: what was forgotten while the clock was ahead says nothing about today. Their
 * number is bounded: of too many the closest two become one.
 */
export class ForgottenTimes {
  #spans: Span[] = [];

  /** Notes that signatures of these times, in seconds since the epoch, were forgotten. */
  note(from: number, to: number): void {
    const apart: Span[] = [];
    const joined = { from, to };
    for (const span of this.#spans) {
      if (span.from > to + NEAR_SECONDS || span.to < from - NEAR_SECONDS) apart.push(span);
      else {
        joined.from = Math.min(joined.from, span.from);
        joined.to = Math.max(joined.to, span.to);
      }
    }
    this.#spans = [...apart, joined].sort((a, b) => a.from - b.from);
    if (this.#spans.length > MAX_SPANS) this.#joinClosest();
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
