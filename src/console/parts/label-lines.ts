/** Labels as lines of a text area: `tier=gold`. */
export function linesOfLabels(labels: Readonly<Record<string, string>> | undefined): string {
  return Object.entries(labels ?? {})
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');
}

/** The labels of such lines, or what is wrong with the first that is none. */
export function labelsOfLines(
  text: string,
): { readonly labels: Readonly<Record<string, string>> } | { readonly fault: string } {
  const labels = new Map<string, string>();
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line === '') continue;
    const at = line.indexOf('=');
    if (at < 1) return { fault: `"${line}" has not the form NAME=VALUE` };
    const name = line.slice(0, at).trim();
    if (labels.has(name)) return { fault: `the label "${name}" appears twice` };
    labels.set(name, line.slice(at + 1).trim());
  }
  return { labels: Object.fromEntries(labels) };
}

/** The labels as a merge patch (RFC 7396): those that are gone are null. */
export function patchOfLabels(
  before: Readonly<Record<string, string>> | undefined,
  after: Readonly<Record<string, string>>,
): Readonly<Record<string, string | null>> {
  const gone = Object.keys(before ?? {}).filter((name) => !Object.hasOwn(after, name));
  return { ...Object.fromEntries(gone.map((name) => [name, null])), ...after };
}
