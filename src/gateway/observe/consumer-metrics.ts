import {
  Counter,
  type CounterConfiguration,
  type MetricObjectWithValues,
  type MetricValue,
  type Registry,
} from 'prom-client';
import { type ConsumerFigures, consumerOutcomes } from './consumer-figures.ts';

type Label = 'consumer' | 'endpoint' | 'outcome';

/** A counter whose series are read each time they are asked for. */
class ReadCounter extends Counter<Label> {
  readonly #read: () => MetricValue<Label>[];

  constructor(options: CounterConfiguration<Label>, read: () => MetricValue<Label>[]) {
    super(options);
    this.#read = read;
  }

  /** For the registry. */
  override async get(): Promise<MetricObjectWithValues<MetricValue<Label>>> {
    return { ...(await super.get()), values: this.#read() };
  }
}

/** Registers the metrics by consumer, which only an operator who asks for them gets. */
export function registerConsumerMetrics(registry: Registry, figures: Pick<ConsumerFigures, 'figures'>): void {
  const registers = [registry];
  const checks = {
    name: 'postern_consumer_checks_total',
    help: 'Checks of the busiest consumers, and of all others together, by endpoint and outcome.',
    labelNames: ['consumer', 'endpoint', 'outcome'] as const,
  };
  new ReadCounter({ ...checks, registers }, () =>
    [...figures.figures()].flatMap(({ consumer, endpoint, counts }) =>
      consumerOutcomes.map((outcome) => ({ labels: { consumer, endpoint, outcome }, value: counts[outcome] })),
    ),
  );
  const time = {
    name: 'postern_consumer_check_seconds_total',
    help: 'Time of the checks of the busiest consumers, and of all others together, by endpoint.',
    labelNames: ['consumer', 'endpoint'] as const,
  };
  new ReadCounter({ ...time, registers }, () =>
    [...figures.figures()].map(({ consumer, endpoint, seconds }) => ({
      labels: { consumer, endpoint },
      value: seconds,
    })),
  );
}
