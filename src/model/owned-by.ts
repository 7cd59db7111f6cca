import { sortedEntries, type Labels, type LabelSelector } from './labels.ts';

/**
 * The labels that all carry that something belongs to, each as the JSON of its name and value: who has a selector of
 * these owns it. A list of texts, so that a database finds by it.
 */
export type OwnedBy = readonly string[];

/** What belongs to all of these owners at once: the labels that each of them carries. Nobody's without an owner. */
export function ownedBy(owners: readonly Labels[]): OwnedBy {
  const [first, ...others] = owners;
  if (first === undefined) return [];
  const shared = sortedEntries(first).filter(([name, value]) =>
    others.every((labels) => Object.hasOwn(labels, name) && labels[name] === value),
  );
  return shared.map(textOf);
}

/** What {@link ownedBy} has of everything that a selector owns. */
export function ownersWith(selector: LabelSelector): OwnedBy {
  return sortedEntries(selector).map(textOf);
}

/** Whether those who have a selector own something. Those of an empty one own everything, also what is nobody's. */
export function isOwnedBy(owners: OwnedBy | undefined, selector: LabelSelector): boolean {
  const wanted = ownersWith(selector);
  return wanted.every((each) => owners?.includes(each) ?? false);
}

function textOf([name, value]: readonly [name: string, value: string]): string {
  return JSON.stringify([name, value]);
}
