/** One series of what `/stats/prometheus` of an Envoy shows. */
export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Reads the text format of Prometheus. */
export function parseSeries(text: string): readonly Series[] {
  return [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name = '', labels = '', value]) => ({
    name,
    labels: matchersOf(labels).reduce<Record<string, string>>(
      (all, [label, , text]) => ({ ...all, [label]: text }),
      {},
    ),
    value: Number(value),
  }));
}

/**
 * The series that a query of the committed rules counts, those of `unless` aside. Metrics are the names that begin with
 * `envoy_`; matchers are `=`, `!=`, `=~` and `!~`.
 */
export function seriesOfQuery(query: string, all: readonly Series[]): readonly Series[] {
  const counted = query.replaceAll(/unless on \([^)]*\) \w+/g, '');
  const selectors = [...counted.matchAll(/\b(envoy_\w+)(?:\{([^}]*)\})?/g)].map(([, name, matchers = '']) => ({
    name,
    matchers: matchersOf(matchers),
  }));
  return all.filter(({ name, labels }) =>
    selectors.some(
      (selector) =>
        selector.name === name &&
        selector.matchers.every(([label, operator, text]) => {
          const value = labels[label] ?? '';
          const fits = operator.includes('~') ? new RegExp(`^(?:${text})$`).test(value) : value === text;
          return fits !== operator.startsWith('!');
        }),
    ),
  );
}

function matchersOf(text: string): readonly (readonly [label: string, operator: string, value: string])[] {
  return [...text.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)"/g)].map(
    ([, label = '', operator = '', value = '']) => [label, operator, value] as const,
  );
}
