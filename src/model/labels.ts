/** Labels of a resource, and their values. */
export type Labels = Readonly<Record<string, string>>;

/** Labels that a resource must carry, all of them with these values (spec §1). An empty one fits every resource. */
export type LabelSelector = Labels;

/** Whether a resource with these labels carries all that the selector names. */
export function carries(labels: Labels, selector: LabelSelector): boolean {
  for (const name in selector) if (labels[name] !== selector[name]) return false;
  return true;
}

/** {@link carries} for a selector side by side, as checks ask it of every caller: a mapping takes twice as long. */
export function carriesEach(labels: Labels, names: readonly string[], values: readonly string[]): boolean {
  for (let at = 0; at < names.length; at += 1) if (labels[names[at] ?? ''] !== values[at]) return false;
  return true;
}

/** Names and values, by name: the order in which labels are shown and written, so that equal ones are equal texts. */
export function sortedEntries(labels: Labels): readonly (readonly [name: string, value: string])[] {
  return Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1));
}

/** The same labels in the order of {@link sortedEntries}, but for names that are whole numbers: these come first. */
export function sortLabels(labels: Labels): Labels {
  return Object.fromEntries(sortedEntries(labels));
}

/** Labels or a selector on one line, as they are written: `region=eu tier=gold`. Empty for none. */
export function describeLabels(labels: Labels): string {
  return sortedEntries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}
