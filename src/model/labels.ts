/** Labels of a resource, and their values. */
export type Labels = Readonly<Record<string, string>>;

/** Labels that a resource must carry, all of them with these values (spec §1). An empty one fits every resource. */
export type LabelSelector = Labels;

/** Whether a resource with these labels carries all that the selector names. */
export function carries(labels: Labels, selector: LabelSelector): boolean {
  for (const name in selector) if (labels[name] !== selector[name]) return false;
  return true;
}

/** Labels or a selector on one line, as they are written: `region=eu tier=gold`. Empty for none. */
export function describeLabels(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}
