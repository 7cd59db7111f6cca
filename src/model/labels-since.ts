import type { Labels, LabelSelector } from './labels.ts';

/**
 * Since when a resource carries each of its labels, in seconds since the epoch. A label that is not named here it
 * carries for as long as anything has had its id.
 */
export type LabelsSince = Readonly<Record<string, number>>;

/** A resource with labels, as it was before a change. */
interface Former {
  readonly resource: { readonly labels: Labels };
  readonly updatedAt: number;
  readonly labelsSince?: LabelsSince | undefined;
}

/** What a change of a resource makes of it; `isReused`: whether something else had the id of a new one before. */
export function labelsSinceAfter(
  before: Former | null,
  { labels }: { readonly labels: Labels },
  { nowSeconds, isReused }: { readonly nowSeconds: number; readonly isReused: boolean },
): LabelsSince {
  const entries = Object.keys(labels).flatMap((name): (readonly [string, number])[] => {
    if (before === null) return isReused ? [[name, nowSeconds]] : [];
    const { resource, labelsSince, updatedAt } = before;
    const isKept = Object.hasOwn(resource.labels, name) && resource.labels[name] === labels[name];
    if (!isKept) return [[name, nowSeconds]];
    if (labelsSince === undefined) return [[name, updatedAt]];
    const since = Object.hasOwn(labelsSince, name) ? labelsSince[name] : undefined;
    return since === undefined ? [] : [[name, since]];
  });
  return Object.fromEntries(entries);
}

/**
 * Since when those who have a selector own a resource that carries it, in seconds since the epoch. One that a former
 * version wrote last is theirs since then: what its labels were before is not known.
 */
export function ownedSince(
  { labelsSince, updatedAt }: Pick<Former, 'labelsSince' | 'updatedAt'>,
  selector: LabelSelector,
): number {
  const names = Object.keys(selector);
  if (names.length === 0) return 0;
  if (labelsSince === undefined) return updatedAt;
  return Math.max(...names.map((name) => (Object.hasOwn(labelsSince, name) ? (labelsSince[name] ?? 0) : 0)));
}
