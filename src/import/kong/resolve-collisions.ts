import { placeIn } from '../../document/problem-log.ts';
import { type FindingLog, quoted } from './finding.ts';
import { nameOfRoute } from './kong-entities.ts';
import { isPreferred } from './kong-order.ts';
import { cellsOf, type EndpointDraft, type MatchCell } from './match-cell.ts';
import type { MatchPath } from './route-match.ts';
import type { Strictness } from './strictness.ts';

/**
 * Two endpoints cannot claim the same host, path and method. The one that Kong prefers keeps the path; where Kong has no
 * order, the stricter one does, and where none is, the path goes to neither: the one that keeps it is closed.
 */
export function resolveCollisions(
  drafts: readonly EndpointDraft[],
  strictness: Strictness,
  findings: FindingLog,
): void {
  const owners = new Map<string, MatchCell>();
  for (const draft of drafts) {
    for (const cell of cellsOf(draft)) {
      for (const key of claimsOf(cell)) {
        // What collided in this very loop is no longer claimed.
        if (draft.droppedPaths.has(cell.path)) break;
        const owner = owners.get(key);
        if (owner === undefined || owner.draft.droppedPaths.has(owner.path)) owners.set(key, cell);
        else if (owner.draft === draft && owner.path === cell.path) continue;
        else if (owner.draft === draft) draft.droppedPaths.add(shorterLiteral(owner.path, cell.path));
        else settle(owner, cell, strictness, findings);
        const kept = owners.get(key);
        if (kept?.draft.droppedPaths.has(kept.path) === true) owners.set(key, cell);
      }
    }
  }
}

/** What a rule claims for itself; nothing when no endpoint has it. */
function claimsOf({ isCarried, host, path: { rule }, methods }: MatchCell): readonly string[] {
  if (!isCarried || rule === null) return [];
  const names = methods.length === 0 ? ['any'] : methods.map((method) => `method ${method}`);
  return names.map((method) => JSON.stringify([host.pattern, rule.kind, rule.comparable, method]));
}

/** Of `/orders` and `/orders/` of one route the one that Kong takes more for goes on: it is the same rule here. */
function shorterLiteral(first: MatchPath, second: MatchPath): MatchPath {
  return first.literal.length < second.literal.length ? second : first;
}

function settle(first: MatchCell, second: MatchCell, strictness: Strictness, findings: FindingLog): void {
  const isFirstKept =
    isPreferred(first.rank, second.rank) ||
    (!isPreferred(second.rank, first.rank) &&
      strictness.isAtLeastAsStrict(first.draft.decision, second.draft.decision));
  const isSecondKept =
    isPreferred(second.rank, first.rank) || strictness.isAtLeastAsStrict(second.draft.decision, first.draft.decision);
  const [kept, dropped] = !isFirstKept && isSecondKept ? [second, first] : [first, second];
  dropped.draft.droppedPaths.add(dropped.path);
  const { route } = dropped.draft;
  const index = dropped.draft.match.paths.indexOf(dropped.path);
  const shown = dropped.path.rule === null ? '/' : Object.values(dropped.path.rule.written).join();
  const place = route.paths.length === 0 ? route.place : placeIn(route.place, 'paths', index);
  const isUnclear = !isFirstKept && !isSecondKept;
  findings.add('error', place, {
    subject: `route ${quoted(nameOfRoute(route))}`,
    what: `takes the same requests below ${quoted(shown)} as the route ${quoted(nameOfRoute(kept.draft.route))}; two endpoints cannot: the path was left out${isUnclear ? ', and the endpoint of the other refuses everything, because Kong has no order between them' : ''}`,
    instead: 'give both routes paths, hosts or methods of their own',
  });
  if (isUnclear) kept.draft.isClosed = true;
}
