import type { MatchCell } from './match-cell.ts';

/** Finds cells by path, so that not every one has to be compared with every other. */
export interface PathIndex {
  /** All cells whose paths in Kong may meet those of an endpoint's rule. */
  meeting(comparable: string): Iterable<MatchCell>;
  /** All rules of endpoints that have this path, or one above it. */
  above(path: string): Iterable<MatchCell>;
}

/** Builds the index. Paths are short, so that their beginnings are few. */
export function pathIndex(cells: readonly MatchCell[]): PathIndex {
  const sorted = [...cells].sort((a, b) => compareTexts(a.path.literal, b.path.literal));
  const byLiteral = groupBy(cells, ({ path }) => path.literal);
  const rules = cells.filter(({ isCarried }) => isCarried);
  const byRule = groupBy(rules, ({ path }) => path.rule?.comparable ?? '');
  return {
    *meeting(comparable) {
      for (let length = 1; length <= comparable.length; length += 1) {
        yield* byLiteral.get(comparable.slice(0, length)) ?? [];
      }
      for (let at = firstAbove(sorted, comparable); at < sorted.length; at += 1) {
        const cell = sorted[at];
        if (cell?.path.literal.startsWith(comparable) !== true) return;
        yield cell;
      }
    },
    *above(path) {
      yield* byRule.get('') ?? [];
      for (let slash = path.indexOf('/', 1); slash !== -1; slash = path.indexOf('/', slash + 1)) {
        yield* byRule.get(path.slice(0, slash)) ?? [];
      }
      if (path !== '') yield* byRule.get(path) ?? [];
    },
  };
}

/** The first cell whose literal is longer than this text and does not sort before it. */
function firstAbove(sorted: readonly MatchCell[], text: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle]?.path.literal ?? '') <= text) low = middle + 1;
    else high = middle;
  }
  return low;
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function groupBy(
  cells: readonly MatchCell[],
  keyOf: (cell: MatchCell) => string,
): ReadonlyMap<string, readonly MatchCell[]> {
  const groups = new Map<string, MatchCell[]>();
  for (const cell of cells) {
    const group = groups.get(keyOf(cell));
    if (group === undefined) groups.set(keyOf(cell), [cell]);
    else group.push(cell);
  }
  return groups;
}
