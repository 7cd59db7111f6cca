import { refusalAnswers, type RefusalCode } from '../../check/refusal.ts';

/** What became of the checks of a consumer: `refused` is every other refusal than `limited`, `failed` a 5xx. */
export const consumerOutcomes = ['allowed', 'refused', 'limited', 'failed'] as const;
export type ConsumerOutcome = (typeof consumerOutcomes)[number];

/** Stands for the consumers, and for the endpoints, that have no series of their own. No id has an underscore. */
export const OTHERS = '_other';

/** Endpoints that each consumer has series for; further ones count as {@link OTHERS}. */
export const MAX_ENDPOINTS_OF_CONSUMER = 20;

/** Consumers whose checks are weighed to find the busiest: each takes about 150 bytes. */
export const MAX_WEIGHED = 100_000;
/** So often the busiest are chosen anew. */
const SLOT_SECONDS = 300;
/** What is left of a weight after a slot: a third of it after an hour. */
const FADING = 0.914;
/** How much busier another consumer must be to take a place: series that come and go help nobody. */
const LOYALTY = 2;

/** The checks of one consumer on one endpoint. */
export interface ConsumerFigure {
  readonly consumer: string;
  readonly endpoint: string;
  readonly counts: Readonly<Record<ConsumerOutcome, number>>;
  /** Time of all of them. */
  readonly seconds: number;
}

type Counted = { counts: Record<ConsumerOutcome, number>; seconds: number };
type OfEndpoints = Map<string, Counted>;

interface Weighed {
  /** Checks of about the last hour. */
  weight: number;
  /** Null for a consumer that counts as {@link OTHERS}. */
  figures: OfEndpoints | null;
}

/**
 * Counts checks by consumer and endpoint, for the busiest consumers of about the last hour; all others count together.
 * Bounded in series, and in consumers that it knows. Counting is two look-ups and a few additions; every five minutes
 * one check also chooses the busiest.
 */
export class ConsumerFigures {
  readonly #maxConsumers: number;
  readonly #maxWeighed: number;
  readonly #weighed = new Map<string, Weighed>();
  readonly #others: OfEndpoints = new Map();
  #named = 0;
  #slot = 0;

  /** @param maxConsumers that have series of their own */
  constructor(maxConsumers: number, maxWeighed: number = MAX_WEIGHED) {
    this.#maxConsumers = maxConsumers;
    this.#maxWeighed = maxWeighed;
  }

  /** A check of a known consumer was decided. */
  count(endpointId: string, consumerId: string, code: string, seconds: number, nowSeconds: number): void {
    const age = nowSeconds - this.#slot * SLOT_SECONDS;
    if (age < 0 || age >= SLOT_SECONDS) this.#choose(Math.floor(nowSeconds / SLOT_SECONDS));
    const counted = countedOf(this.#figuresOf(consumerId), endpointId);
    counted.counts[outcomeOf(code)] += 1;
    counted.seconds += seconds;
  }

  /** All of them, at most {@link MAX_ENDPOINTS_OF_CONSUMER} and one more for each consumer and for the others. */
  *figures(): Generator<ConsumerFigure, void, undefined> {
    for (const [consumer, { figures }] of this.#weighed) if (figures !== null) yield* figuresIn(consumer, figures);
    yield* figuresIn(OTHERS, this.#others);
  }

  #figuresOf(consumerId: string): OfEndpoints {
    const known = this.#weighed.get(consumerId);
    if (known !== undefined) {
      known.weight += 1;
      return known.figures ?? this.#others;
    }
    if (this.#weighed.size >= this.#maxWeighed) return this.#others;
    const figures: OfEndpoints | null = this.#named < this.#maxConsumers ? new Map<string, Counted>() : null;
    if (figures !== null) this.#named += 1;
    this.#weighed.set(consumerId, { weight: 1, figures });
    return figures ?? this.#others;
  }

  /** Gives the busiest their series, and forgets who has not called for hours. */
  #choose(slot: number): void {
    const fading = FADING ** Math.min(Math.max(slot - this.#slot, 1), MAX_SLOTS);
    this.#slot = slot;
    // Where room gets short, who called once does not keep it from those who call more.
    const least = this.#weighed.size > this.#maxWeighed / 2 ? 1 : LEAST_WEIGHT;
    const busiest: Weighed[] = [];
    for (const [id, each] of this.#weighed) {
      each.weight *= fading;
      if (each.figures === null && each.weight < least) this.#weighed.delete(id);
      else insertBusiest(busiest, each, this.#maxConsumers);
    }
    const chosen = new Set(busiest);
    this.#named = chosen.size;
    for (const each of this.#weighed.values()) {
      if (!chosen.has(each)) each.figures = null;
      else each.figures ??= new Map();
    }
  }
}

/** After so many slots nothing is left of a weight. */
const MAX_SLOTS = 1000;
/** A single check fades to it in about three hours. */
const LEAST_WEIGHT = 0.05;

const outcomes = new Map<string, ConsumerOutcome>([
  ...(Object.keys(refusalAnswers) as RefusalCode[]).map(
    (code) => [code, refusalAnswers[code].status >= 500 ? 'failed' : 'refused'] as const,
  ),
  ['RATE_LIMITED', 'limited'],
]);

function outcomeOf(code: string): ConsumerOutcome {
  if (code === 'ALLOWED') return 'allowed';
  return outcomes.get(code) ?? 'failed';
}

function countedOf(figures: OfEndpoints, endpointId: string): Counted {
  const known = figures.get(endpointId);
  if (known !== undefined) return known;
  const name = figures.size < MAX_ENDPOINTS_OF_CONSUMER ? endpointId : OTHERS;
  const counted = figures.get(name) ?? { counts: { allowed: 0, refused: 0, limited: 0, failed: 0 }, seconds: 0 };
  figures.set(name, counted);
  return counted;
}

function rankOf({ weight, figures }: Weighed): number {
  return figures === null ? weight : weight * LOYALTY;
}

/** Keeps the list ascending by rank, and at most so long. */
function insertBusiest(busiest: Weighed[], each: Weighed, most: number): void {
  const rank = rankOf(each);
  const least = busiest[0];
  if (least !== undefined && busiest.length === most && rank <= rankOf(least)) return;
  let [from, to] = [0, busiest.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    const other = busiest[middle];
    if (other !== undefined && rankOf(other) < rank) from = middle + 1;
    else to = middle;
  }
  busiest.splice(from, 0, each);
  if (busiest.length > most) busiest.shift();
}

function* figuresIn(consumer: string, figures: OfEndpoints): Generator<ConsumerFigure, void, undefined> {
  for (const [endpoint, { counts, seconds }] of figures) yield { consumer, endpoint, counts, seconds };
}
