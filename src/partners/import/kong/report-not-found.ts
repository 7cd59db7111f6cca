import { quoted } from '../../../model/document/problem.ts';
import { placeIn } from '../../../model/document/problem-log.ts';
import type { FindingLog } from './finding.ts';
import type { ImportContext } from './import-context.ts';
import { nameOfRoute } from './kong-entities.ts';
import { cellsOf, containsHost, type EndpointDraft, type MatchCell, pathIndex, pathOfMatch } from './match-cell.ts';
import type { MatchPath } from './route-match.ts';

/** Comparisons that are made at most; a file that needs more has its findings from the first ones. */
const MAX_COMPARISONS = 20_000_000;

/**
 * Reports requests that pass in Kong and are 404 here, although no route was left out. Kong tries the next route when
 * the method does not fit; here the endpoint with the best host and path decides alone (spec §2.3). And a prefix of
 * Kong ends within a segment: `/orders` takes `/orders2`.
 */
export function reportNotFound(drafts: readonly EndpointDraft[], { options, findings }: ImportContext): void {
  const cells = drafts.flatMap(cellsOf);
  reportMethods(drafts, cells);
  if (!options.wholeSegments) reportSegments(cells, findings);
}

function reportMethods(drafts: readonly EndpointDraft[], cells: readonly MatchCell[]): void {
  const paths = pathIndex(cells);
  /** The methods that endpoints take by a rule; null for any. */
  const methodsByRule = new Map<string, ReadonlySet<string> | null>();
  for (const cell of cells) {
    const known = methodsByRule.get(keyOf(cell));
    if (!cell.isCarried || known === null) continue;
    methodsByRule.set(keyOf(cell), cell.methods.length === 0 ? null : new Set([...(known ?? []), ...cell.methods]));
  }
  let comparisonsLeft = MAX_COMPARISONS;
  for (const cell of drafts.flatMap((draft) => (draft.match.methods.length > 0 ? cellsOf(draft) : []))) {
    const { draft } = cell;
    const taken = methodsByRule.get(keyOf(cell)) ?? null;
    if (!cell.isCarried || taken === null) continue;
    for (const other of paths.meeting(cell.path.rule?.comparable ?? '')) {
      comparisonsLeft -= 1;
      if (comparisonsLeft < 0) return;
      if (other.draft === draft || other.draft.decision.isRefused || !isKongs(cell, other)) continue;
      const left = other.methods.filter((method) => !taken.has(method));
      if (other.methods.length > 0 && left.length === 0) continue;
      const own = [...taken].join(', ');
      const which = other.methods.length === 0 ? `methods other than ${own}` : left.join(', ');
      draft.route.report('warning', pathOfMatch(draft.route), {
        what: `takes ${quoted(cell.path.literal)} for ${own} only: there, Kong gives ${which} to the route ${quoted(nameOfRoute(other.draft.route))}, but Postern answers 404`,
        instead:
          'where callers need them, write one more endpoint with this path and those methods, and the access of that route',
      });
      break;
    }
  }
}

/**
 * Whether Kong gives some of what the first cell leaves, by its methods, to the second, while here the first decides:
 * it has the narrower host, or with the same host the longer path.
 */
function isKongs(cell: MatchCell, other: MatchCell): boolean {
  if (!other.isCarried || keyOf(cell) === keyOf(other) || !containsHost(other.host, cell.host)) return false;
  const isNarrower = other.host.pattern !== cell.host.pattern;
  return contains(other.path, cell.path) || (isNarrower && contains(cell.path, other.path));
}

/** Whether every path that the second takes in Kong is one of the first. */
function contains(outer: MatchPath, inner: MatchPath): boolean {
  return outer.isExact ? inner.isExact && outer.literal === inner.literal : inner.literal.startsWith(outer.literal);
}

/** Once for the file: it is so for nearly every route. */
function reportSegments(cells: readonly MatchCell[], findings: FindingLog): void {
  const ending = cells.filter(
    ({ isCarried, path }) =>
      isCarried && path.rule?.kind === 'prefix' && path.literal !== '/' && !path.literal.endsWith('/'),
  );
  const [first] = ending;
  if (first === undefined) return;
  const { draft, path } = first;
  const count = new Set(ending.map((cell) => cell.path.literal)).size;
  const place = placeIn({ tree: draft.route.place.tree, path: [] }, 'routes');
  findings.about(place, 'prefixes that end within a segment')('note', [], {
    what: `Kong’s path ${quoted(path.literal)}${count === 1 ? '' : `, and ${String(count - 1)} more like it,`} also takes ${quoted(`${path.literal}2`)}; in Postern that is 404, or belongs to another endpoint`,
    instead: 'if a back end has such paths, write endpoints for them; if none has, import again with --whole-segments',
  });
}

function keyOf({ host, path: { rule } }: MatchCell): string {
  return JSON.stringify([host.pattern, rule?.kind, rule?.comparable]);
}
