/**
 * How far the commits of a store are. Each commit takes the next number before it begins; commits end in any order, and
 * the number of one that failed is never used (docs/adr/0012-which-replica-knows-what.md).
 */
export interface StoreRevision {
  /** The number that was taken last; 0 before the first. */
  readonly latest: number;
  /** Numbers up to it whose commits had not ended, ascending. */
  readonly underWay: readonly number[];
}

/** The highest revision such that every commit up to it has ended. */
export function wholeRevision({ latest, underWay }: StoreRevision): number {
  return Math.min(latest, ...underWay.map((revision) => revision - 1));
}

/** Whether the commit of a revision has ended: its changes were made by then, or never will be. */
export function hasEnded({ latest, underWay }: StoreRevision, revision: number): boolean {
  return revision <= latest && !underWay.includes(revision);
}

/** Whether every commit that has ended in `wanted` has ended in `known`. */
export function covers(known: StoreRevision, wanted: StoreRevision): boolean {
  return known.latest >= wanted.latest && known.underWay.every((each) => !hasEnded(wanted, each));
}

/** Whether two revisions hold the same commits; two that are unknown are the same. */
export function isSameRevision(one: StoreRevision | null, other: StoreRevision | null): boolean {
  if (one === null || other === null) return one === other;
  return covers(one, other) && covers(other, one);
}
