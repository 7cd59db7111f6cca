import type { html } from 'hono/html';

/** A part of a page. `html` escapes every value that is none itself. */
export type Html = ReturnType<typeof html>;

/** A path whose parts in `${}` are percent-encoded: url`/consumers/${id}`. */
export function url(texts: TemplateStringsArray, ...parts: readonly string[]): string {
  return texts.map((text, at) => text + encodeURIComponent(parts[at] ?? '')).join('');
}

/** A path with a query; what is undefined or empty is left out, several values are repeated. */
export function withQuery(
  path: string,
  query: Readonly<Record<string, string | readonly string[] | undefined>>,
): string {
  const given = Object.entries(query).flatMap(([name, values = []]) =>
    [values].flat().flatMap((value) => (value === '' ? [] : [[name, value] as [string, string]])),
  );
  const text = new URLSearchParams(given).toString();
  return text === '' ? path : `${path}?${text}`;
}
