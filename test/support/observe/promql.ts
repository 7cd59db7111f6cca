import { parser } from '@prometheus-io/lezer-promql';

/** A selector of a query: a metric, and the labels that it is matched by. */
export interface Selector {
  readonly metric: string;
  readonly labels: readonly string[];
}

/** What a query names. */
export interface QueryParts {
  readonly selectors: readonly Selector[];
  /** Of `by (…)`. */
  readonly grouping: readonly string[];
}

/** Reads a PromQL query; throws for other text. */
export function readQuery(query: string): QueryParts {
  const selectors: { metric: string; labels: string[] }[] = [];
  const grouping: string[] = [];
  const text = (from: number, to: number): string => query.slice(from, to);
  parser.parse(query).iterate({
    enter: ({ type, name, from, to, node }) => {
      if (type.isError) throw new Error(`no PromQL at ${String(from)}: ${query}`);
      if (name === 'VectorSelector') selectors.push({ metric: '', labels: [] });
      const selector = selectors.at(-1);
      const isIn = (parent: string): boolean => {
        for (let each = node.parent; each !== null; each = each.parent) if (each.name === parent) return true;
        return false;
      };
      if (name === 'Identifier' && selector !== undefined && isIn('VectorSelector')) selector.metric = text(from, to);
      if (name === 'LabelName' && isIn('GroupingLabels')) grouping.push(text(from, to));
      else if (name === 'LabelName' && selector !== undefined) selector.labels.push(text(from, to));
    },
  });
  return { selectors, grouping };
}
