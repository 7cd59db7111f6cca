/** Longer names are not compared: the cost grows with the product of both lengths. */
const MAX_LENGTH = 40;

/** The known name that a misspelt one most probably means; null when none is near. */
export function findNearestName(name: string, known: readonly string[]): string | null {
  if (name.length > MAX_LENGTH) return null;
  const folded = fold(name);
  let best: string | null = null;
  let bestDistance = Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(folded, fold(candidate));
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** `hide_credentials` and `HideCredentials` mean `hideCredentials`. */
function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[-_ ]/g, '');
}

/** Edits from one text to the other: insertions, deletions, replacements, and swaps of neighbours. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      next.push(
        Math.min(
          (last[column - 1] ?? 0) + (isSame ? 0 : 1),
          (last[column] ?? 0) + 1,
          (next[column - 1] ?? 0) + 1,
          isSwapped ? (beforeLast[column - 2] ?? 0) + 1 : Infinity,
        ),
      );
    }
    beforeLast = last;
    last = next;
  }
  return last[to.length] ?? 0;
}
