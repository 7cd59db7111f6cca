import { Counter, Gauge, type Registry } from 'prom-client';

/**
 * A metric that is read each time metrics are collected: its help, what is read, and the label whose values a reading
 * has a number for each of.
 */
export type ReadMetric =
  | readonly [help: string, read: () => number]
  | readonly [help: string, read: () => Readonly<Record<string, number>>, label: string];

/** Metrics by name: counters end in `_total`, all others are gauges (Prometheus, "Metric and label naming"). */
export type MetricTable = Readonly<Record<string, ReadMetric>>;

/** Registers the metrics of a table. Each is read when it is asked for. */
export function registerMetrics(registry: Registry, table: MetricTable): void {
  for (const [name, [help, read, label]] of Object.entries(table)) {
    const labelNames = label === undefined ? [] : [label];
    const options = { name, help, labelNames, registers: [registry] };
    const readSeries = (): (readonly [labels: Record<string, string>, value: number])[] => {
      const reading = read();
      if (typeof reading === 'number') return [[{}, reading]];
      return Object.entries(reading).map(([value, count]) => [label === undefined ? {} : { [label]: value }, count]);
    };
    if (name.endsWith('_total')) {
      new Counter({
        ...options,
        collect() {
          this.reset();
          for (const [labels, value] of readSeries()) this.inc(labels, value);
        },
      });
    } else {
      new Gauge({
        ...options,
        collect() {
          for (const [labels, value] of readSeries()) this.set(labels, value);
        },
      });
    }
  }
}

/** What {@link announcedCounter} takes: `labels` has the values of each label. */
export interface AnnouncedCounter<L extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels: Readonly<Record<L, readonly string[]>>;
}

/** Adds a counter whose series all exist from the start, as 0, so that an alert sees the first rise of each. */
export function announcedCounter<L extends string>(
  registry: Registry,
  { name, help, labels }: AnnouncedCounter<L>,
): Counter<L> {
  const counter = new Counter({ name, help, labelNames: Object.keys(labels) as L[], registers: [registry] });
  let series: Partial<Record<L, string>>[] = [{}];
  for (const [label, values] of Object.entries<readonly string[]>(labels)) {
    series = series.flatMap((former) => values.map((value) => ({ ...former, [label]: value })));
  }
  for (const each of series) counter.inc(each, 0);
  return counter;
}
