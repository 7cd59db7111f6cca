/** Labels as lines of a text area: `tier=gold`. */
export function linesOfLabels(labels: Readonly<Record<string, string>> | undefined): string {
  return Object.entries(labels ?? {})
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');
}

/** What is wrong with lines of labels. */
export interface LinesFault {
  readonly fault: string;
}

/**
 * What turns the labels `before` into those of such lines, as a merge patch (RFC 7396): those that are gone are null.
 * Or what is wrong with the first line that has no label.
 */
export function labelPatchOf(
  before: Readonly<Record<string, string>>,
  text: string,
): { readonly patch: Readonly<Record<string, string | null>> } | LinesFault {
  const read = labelsOfLines(text);
  if ('fault' in read) return read;
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(read.labels, name));
  return { patch: { ...Object.fromEntries(gone.map((name) => [name, null])), ...read.labels } };
}

function labelsOfLines(text: string): { readonly labels: Readonly<Record<string, string>> } | LinesFault {
  const labels = new Map<string, string>();
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line === '') continue;
    const at = line.indexOf('=');
    if (at < 1) return { fault: `"${line}" does not have the form NAME=VALUE` };
    const name = line.slice(0, at).trim();
    if (labels.has(name)) return { fault: `the label "${name}" appears twice` };
    labels.set(name, line.slice(at + 1).trim());
  }
  return { labels: Object.fromEntries(labels) };
}
