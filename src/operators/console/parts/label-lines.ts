import type { ProblemDetail } from '../../api/problem.ts';

/** What a form sends: a body of the API, and what is wrong with lines that the console reads itself. */
export interface FormBody {
  readonly body: object;
  /** In the form of the API's own, so that a form shows both. Not empty: nothing is changed. */
  readonly faults: readonly ProblemDetail[];
}

/** Labels as lines of a text area: `tier=gold`. */
export function linesOfLabels(labels: Readonly<Record<string, string>> | undefined): string {
  return Object.entries(labels ?? {})
    .map(([name, value]) => `${name}=${value}`)
    .join('\n');
}

/**
 * What turns the labels `before` into those of such lines, as a merge patch (RFC 7396): those that are gone are null.
 * Lines without a label are faults of the field that `pointer` names.
 */
export function labelPatchOf(
  before: Readonly<Record<string, string>>,
  text: string,
  pointer: string,
): { readonly patch: Readonly<Record<string, string | null>>; readonly faults: readonly ProblemDetail[] } {
  const { labels, faults } = labelsOfLines(text);
  const gone = Object.keys(before).filter((name) => !labels.has(name));
  return {
    patch: Object.fromEntries([...gone.map((name) => [name, null] as const), ...labels]),
    faults: faults.map((detail) => ({ pointer, detail })),
  };
}

function labelsOfLines(text: string): { readonly labels: ReadonlyMap<string, string>; readonly faults: string[] } {
  const labels = new Map<string, string>();
  const faults: string[] = [];
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line === '') continue;
    const at = line.indexOf('=');
    const name = line.slice(0, Math.max(at, 0)).trim();
    if (at < 1) faults.push(`"${line}" does not have the form NAME=VALUE`);
    else if (labels.has(name)) faults.push(`the label "${name}" appears twice`);
    else labels.set(name, line.slice(at + 1).trim());
  }
  return { labels, faults };
}
