/** Requests by how they were decided: `ALLOWED`, or the code of the refusal. */
export type CodeCounts = Readonly<Record<string, number>>;

/** How many requests of one hour were decided how. */
export interface TrafficCount {
  readonly endpointId: string;
  /** Null for all requests to the endpoint: those of every consumer, and those of nobody who is known. */
  readonly consumerId: string | null;
  /** Whole hours since 1970-01-01T00:00:00Z. */
  readonly hour: number;
  readonly codes: CodeCounts;
}

/** Which counts. What is absent does not narrow. */
export interface TrafficSelection {
  /** Whole hours since 1970-01-01T00:00:00Z; this one and later ones. */
  readonly sinceHour: number;
  readonly endpointId?: string | undefined;
  /** Those of each of these consumers, or of each consumer there is; null for those of all callers together. */
  readonly consumers: readonly string[] | 'each' | null;
}

/** The counts of requests, for all replicas together. */
export interface TrafficSource {
  /** In no order; one hour, endpoint and consumer may come in several parts. Rejects with `StoreUnavailable`. */
  counts(selection: TrafficSelection): AsyncIterable<TrafficCount> | Iterable<TrafficCount>;
}

const HOUR_SECONDS = 3600;

/** The hour of a moment, which is given in seconds since the epoch. */
export function hourOf(seconds: number): number {
  return Math.floor(seconds / HOUR_SECONDS);
}

/** How many requests were counted. */
export function sumOf(codes: CodeCounts): number {
  return Object.values(codes).reduce((sum, count) => sum + count, 0);
}
