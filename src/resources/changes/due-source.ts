/**
 * Times by which a store finds credentials without reading the others: the end of the credential, of its former App
 * Secret, of its former public key, of the first certificate that it stands on, of one that a rotation retired, and
 * since when it is not used.
 */
export const dueOrders = ['end', 'certificate', 'former-secret', 'former-key', 'retiring', 'idle'] as const;
export type DueOrder = (typeof dueOrders)[number];

/** Where a credential stands in the order of such a time, and then of the ids. */
export interface DuePlace {
  readonly order: DueOrder;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  readonly id: string;
}

/** A part of an order. */
export interface DueSpan {
  readonly order: DueOrder;
  /** Times later than this one. Milliseconds since the epoch. */
  readonly afterMs: number;
  /** Up to and with this one. */
  readonly untilMs: number;
}

/** Which credentials may fit. */
export interface DueSelection extends DueSpan {
  /** Only those behind this place. */
  readonly behind: DuePlace | null;
  /** So many are wanted: about as many are asked for at once. */
  readonly most: number;
}

/** The credentials by what is due: an index of the store for each order. */
export interface DueSource {
  /**
   * All that fit, in their order; perhaps others too: what is said here may be older than the credential and its use,
   * and never names too late a time.
   */
  list(selection: DueSelection): AsyncIterable<DuePlace>;
}
