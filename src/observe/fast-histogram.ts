import { Histogram, type Registry } from 'prom-client';

/** What a histogram is called, and the upper bounds of its buckets in ascending order. */
export interface FastHistogramOptions {
  readonly name: string;
  readonly help: string;
  readonly buckets: readonly number[];
  readonly registry: Registry;
}

/** A histogram without labels for the path of every check: an observation is an addition, where prom-client's takes 0.3 µs. */
export class FastHistogram extends Histogram<'le'> {
  readonly #name: string;
  readonly #help: string;
  readonly #bounds: readonly number[];
  /** One for each bound, and one for what is above them all. */
  readonly #counts: Float64Array;
  #sum = 0;

  constructor({ name, help, buckets, registry }: FastHistogramOptions) {
    super({ name, help, buckets: [...buckets], registers: [registry] });
    this.#name = name;
    this.#help = help;
    this.#bounds = buckets;
    this.#counts = new Float64Array(buckets.length + 1);
  }

  /** Takes one value. */
  add(value: number): void {
    const bounds = this.#bounds;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] ?? Infinity)) at += 1;
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#sum += value;
  }

  /** For the registry and for `get`: what prom-client's own method of this name gives, which its types do not show. */
  getForPromString(): Promise<HistogramText> {
    const values: HistogramText['values'][number][] = [];
    let total = 0;
    for (const [at, count] of this.#counts.entries()) {
      total += count;
      const le = this.#bounds[at] ?? '+Inf';
      values.push({ metricName: `${this.#name}_bucket`, labels: { le }, sharedLabels: {}, value: total });
    }
    values.push({ metricName: `${this.#name}_sum`, labels: {}, sharedLabels: {}, value: this.#sum });
    values.push({ metricName: `${this.#name}_count`, labels: {}, sharedLabels: {}, value: total });
    return Promise.resolve({ name: this.#name, help: this.#help, type: 'histogram', aggregator: 'sum', values });
  }
}

interface HistogramText {
  readonly name: string;
  readonly help: string;
  readonly type: 'histogram';
  readonly aggregator: 'sum';
  readonly values: readonly {
    readonly metricName: string;
    readonly labels: { readonly le?: number | string };
    readonly sharedLabels: object;
    readonly value: number;
  }[];
}
