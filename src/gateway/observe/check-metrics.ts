import {
  Counter,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  type MetricValueWithName,
  type Registry,
} from 'prom-client';
import type { Endpoint } from '../../model/endpoint.ts';
import type { RefusalCode } from '../../check/refusal.ts';

type Label = 'endpoint' | 'authentication' | 'code';
type Code = RefusalCode | 'ALLOWED';

/** With more endpoints, series appear only when there is something to count: every scrape carries them all. */
const MAX_ANNOUNCED_ENDPOINTS = 1000;
/** Counted for no endpoint in particular, and alerted on. */
const announcedWithoutEndpoint: readonly Code[] = ['INTERNAL', 'STORE_UNAVAILABLE', 'UNAVAILABLE', 'MALFORMED_REQUEST'];

/**
 * `postern_checks_total`. Counting is on the path of every check, so it keeps its own numbers: one per endpoint,
 * authentication method and code, all of them words of the configuration or of the program.
 */
export class CheckCounter extends Counter<Label> {
  readonly #series = new Map<string, EndpointSeries>();
  /** The same by endpoint, so that counting builds no text. */
  readonly #byEndpoint = new WeakMap<Endpoint, EndpointSeries>();
  readonly #withoutEndpoint: EndpointSeries = { endpoint: '', authentication: '', codes: new Map() };

  constructor(registry: Registry) {
    super({
      name: 'postern_checks_total',
      help: 'Decided checks by endpoint, authentication method and code (ALLOWED or the refusal code).',
      labelNames: ['endpoint', 'authentication', 'code'],
      registers: [registry],
    });
    this.#series.set('', this.#withoutEndpoint);
    announce(this.#withoutEndpoint, announcedWithoutEndpoint);
  }

  /** Counts one check; `endpoint` is null when none was found. */
  count(endpoint: Endpoint | null, code: Code): void {
    const { codes } = endpoint === null ? this.#withoutEndpoint : this.#seriesOf(endpoint);
    const count = codes.get(code);
    if (count === undefined) codes.set(code, { value: 1 });
    else count.value += 1;
  }

  /** Shows the series of endpoints from 0 on, so that the first outage of one is a rise that alerts see. */
  announce(endpoints: readonly Endpoint[]): void {
    if (endpoints.length > MAX_ANNOUNCED_ENDPOINTS) return;
    for (const endpoint of endpoints) {
      if (!endpoint.enabled) continue;
      const codes: Code[] = ['ALLOWED'];
      if (endpoint.authentication !== null) codes.push('STORE_UNAVAILABLE');
      if (endpoint.options.onLimiterFailure === 'deny') codes.push('LIMITER_UNAVAILABLE');
      announce(this.#seriesOf(endpoint), codes);
    }
  }

  /** For the registry. */
  override async get(): Promise<MetricObjectWithValues<MetricValue<Label>>> {
    const values: MetricValue<Label>[] = [];
    for (const { endpoint, authentication, codes } of this.#series.values()) {
      for (const [code, { value }] of codes) values.push({ labels: { endpoint, authentication, code }, value });
    }
    return { ...(await super.get()), values };
  }

  #seriesOf(endpoint: Endpoint): EndpointSeries {
    const known = this.#byEndpoint.get(endpoint);
    if (known !== undefined) return known;
    const authentication = endpoint.authentication ?? '';
    const key = `${endpoint.id} ${authentication}`;
    const series = this.#series.get(key) ?? { endpoint: endpoint.id, authentication, codes: new Map() };
    this.#series.set(key, series);
    this.#byEndpoint.set(endpoint, series);
    return series;
  }
}

interface EndpointSeries {
  readonly endpoint: string;
  readonly authentication: string;
  readonly codes: Map<Code, { value: number }>;
}

function announce({ codes }: EndpointSeries, list: readonly Code[]): void {
  for (const code of list) if (!codes.has(code)) codes.set(code, { value: 0 });
}

/** What a histogram is called, and the upper bounds of its buckets in ascending order. */
export interface FastHistogramOptions {
  readonly name: string;
  readonly help: string;
  readonly buckets: readonly number[];
  readonly registry: Registry;
}

/**
 * A histogram without labels for the check path: an observation is an addition; prom-client's takes 0.3 µs. It is no
 * `Histogram`, because of these the registry reads a method that types do not show, and of all others `get`.
 */
export class FastHistogram extends Gauge<'le'> {
  /** What prom-client says of a histogram of this name. */
  readonly #described: Histogram<'le'>;
  readonly #name: string;
  readonly #bounds: readonly number[];
  /** One for each bound, and one for what is above them all. */
  readonly #counts: Float64Array;
  #sum = 0;

  constructor({ name, help, buckets, registry }: FastHistogramOptions) {
    super({ name, help, registers: [registry] });
    this.#described = new Histogram({ name, help, buckets: [...buckets], registers: [] });
    this.#name = name;
    this.#bounds = buckets;
    this.#counts = new Float64Array(buckets.length + 1);
  }

  add(value: number): void {
    const bounds = this.#bounds;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] ?? Infinity)) at += 1;
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#sum += value;
  }

  /** For the registry. */
  override async get(): Promise<MetricObjectWithValues<MetricValueWithName<'le'>>> {
    const values: MetricValueWithName<'le'>[] = [];
    let total = 0;
    for (const [at, count] of this.#counts.entries()) {
      total += count;
      values.push({ metricName: `${this.#name}_bucket`, labels: { le: this.#bounds[at] ?? '+Inf' }, value: total });
    }
    values.push({ metricName: `${this.#name}_sum`, labels: {}, value: this.#sum });
    values.push({ metricName: `${this.#name}_count`, labels: {}, value: total });
    return { ...(await this.#described.get()), values };
  }
}
