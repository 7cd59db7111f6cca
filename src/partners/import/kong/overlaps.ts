import { type DocumentPath, quoted } from '../../../model/document/problem.ts';
import type { ImportOptions } from './import-context.ts';
import { nameOfRoute } from './kong-entities.ts';
import {
  cellsOf,
  containsHost,
  type EndpointDraft,
  isPreferred,
  type MatchCell,
  type PathIndex,
  pathIndex,
  pathOfMatch,
  shareHosts,
  shareMethods,
} from './match-cell.ts';
import type { MatchPath } from './route-match.ts';
import { limitStrictness, type Strictness } from './strictness.ts';

/**
 * Two endpoints cannot claim the same host, path and method. The one that Kong prefers keeps the path; where Kong has
 * no order, the stricter one does, and where none is, the path goes to neither: the one that keeps it is closed.
 */
export function resolveCollisions(drafts: readonly EndpointDraft[], strictness: Strictness): void {
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
        else settle(owner, cell, strictness);
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

/** Of `/orders` and `/orders/` of one route the one that takes more in Kong is kept: it is the same rule here. */
function shorterLiteral(first: MatchPath, second: MatchPath): MatchPath {
  return first.literal.length < second.literal.length ? second : first;
}

function settle(first: MatchCell, second: MatchCell, strictness: Strictness): void {
  const wins = (one: MatchCell, other: MatchCell): boolean =>
    isPreferred(one.rank, other.rank) ||
    (!isPreferred(other.rank, one.rank) && strictness.isAtLeastAsStrict(one.draft.decision, other.draft.decision));
  const isUnclear = !wins(first, second) && !wins(second, first);
  const [kept, dropped] = wins(first, second) || isUnclear ? [first, second] : [second, first];
  dropped.draft.droppedPaths.add(dropped.path);
  const { route, match } = dropped.draft;
  const shown = dropped.path.rule === null ? '/' : Object.values(dropped.path.rule.written).join();
  const path: DocumentPath = route.paths.length === 0 ? [] : ['paths', match.paths.indexOf(dropped.path)];
  route.report('error', path, {
    what: `takes the same requests below ${quoted(shown)} as the route ${quoted(nameOfRoute(kept.draft.route))}; two endpoints cannot: the path was left out${isUnclear ? ', and the endpoint of the other refuses everything, because Kong has no order between them' : ''}`,
    instead: 'give both routes paths, hosts or methods of their own',
  });
  if (isUnclear) kept.draft.isClosed = true;
}

/** Comparisons that are made at most; beyond them, what could not be compared counts as a gap. */
const MAX_COMPARISONS = 50_000_000;

/** Why an endpoint would take requests that Kong gives to a stricter route. */
type Gap = 'order' | 'within-segment' | 'without-slash';

/**
 * Kong and Postern choose in different orders, and by different prefixes: Kong's `/orders` takes `/orders2` too. Where
 * an endpoint would so decide requests that Kong gives to a route with stricter access, it is closed: it refuses
 * everything.
 */
export function closeGaps(
  drafts: readonly EndpointDraft[],
  strictness: Strictness,
  { wholeSegments, slashOptional }: ImportOptions,
): void {
  const paths = pathIndex(drafts.flatMap(cellsOf));
  const search: Search = { paths, strictness, wholeSegments, slashOptional, budget: { left: MAX_COMPARISONS } };
  const limitSearch: Search = { ...search, strictness: limitStrictness, budget: { left: MAX_COMPARISONS } };
  for (const draft of drafts) {
    if (draft.decision.isRefused) continue;
    const found = findGap(draft, search);
    if (found === null) {
      reportLimits(draft, limitSearch);
      continue;
    }
    draft.isClosed = true;
    const { gap, stricter, rule } = found;
    draft.route.report('error', pathOfMatch(draft.route), {
      what: `${describeGap(gap, rule, stricter)}, whose access is not the same: the endpoint refuses everything`,
      instead: adviceFor[gap],
    });
  }
}

const adviceFor: Readonly<Record<Gap, string>> = {
  'within-segment': 'if no back end has such paths, import again with --whole-segments',
  'without-slash':
    'if nothing at the path without the slash needs the stricter access, import again with --slash-optional',
  order: 'give both routes paths or hosts of their own, then import again',
};

/** Requests may come to an endpoint with the same access and other limits: the same callers get in, but more often. */
function reportLimits(draft: EndpointDraft, search: Search): void {
  const found = findGap(draft, search);
  // Where the other endpoint refuses everything, the search by access has looked at its requests.
  if (found === null || found.stricter.draft.decision.isRefused) return;
  draft.route.report('warning', pathOfMatch(draft.route), {
    what: `${describeGap(found.gap, found.rule, found.stricter)}, which has other limits: those of this endpoint count for them`,
    instead: 'give both routes paths or hosts of their own, or the same limits',
  });
}

function describeGap(gap: Gap, rule: MatchCell, stricter: MatchCell): string {
  const path = stricter.path.literal;
  const route = `the route ${quoted(nameOfRoute(stricter.draft.route))}`;
  switch (gap) {
    case 'within-segment':
      return `would take ${quoted(`${path}2`)} and the like, because prefixes of endpoints end with a segment; Kong gives them to ${route}`;
    case 'without-slash':
      return `would take ${quoted(rule.path.rule?.comparable ?? path)} too, because prefixes of endpoints end with a segment; Kong gives it to ${route}`;
    case 'order':
      return `would take requests ${path === '/' ? '' : `below ${quoted(path)} `}that Kong gives to ${route}`;
  }
}

interface Found {
  readonly gap: Gap;
  readonly rule: MatchCell;
  readonly stricter: MatchCell;
}

/** What a search for gaps goes through. */
interface Search {
  readonly paths: PathIndex;
  readonly strictness: Strictness;
  readonly wholeSegments: boolean;
  readonly slashOptional: boolean;
  /** Comparisons that are left. */
  readonly budget: { left: number };
}

function findGap(draft: EndpointDraft, search: Search): Found | null {
  const { paths, strictness, budget } = search;
  for (const rule of cellsOf(draft)) {
    if (!rule.isCarried) continue;
    for (const stricter of paths.meeting(rule.path.rule?.comparable ?? '')) {
      budget.left -= 1;
      const other = stricter.draft;
      if (other === draft || strictness.isAtLeastAsStrict(draft.decision, other.decision)) continue;
      if (budget.left < 0) return { gap: 'order', rule, stricter };
      if (!sharePaths(rule, stricter) && !takesWithoutSlash(rule, stricter)) continue;
      if (!shareMethods(rule, stricter) || !shareHosts(rule, stricter)) continue;
      const gap = gapBetween(rule, stricter, search);
      if (gap !== null) return { gap, rule, stricter };
    }
  }
  return null;
}

function gapBetween(rule: MatchCell, stricter: MatchCell, search: Search): Gap | null {
  if (!search.slashOptional && takesWithoutSlash(rule, stricter) && !isTakenBefore(rule, stricter, search, 'point')) {
    return 'without-slash';
  }
  if (!sharePaths(rule, stricter) || isPreferred(rule.rank, stricter.rank)) return null;
  const isChosen = stricter.isCarried && beats(stricter, rule) && !continuesSegment(rule, stricter);
  if (isChosen && (search.wholeSegments || !endsWithin(rule, stricter))) return null;
  if (isTakenBefore(rule, stricter, search, 'all')) return null;
  return isChosen ? 'within-segment' : 'order';
}

/** A rule of Kong's `/orders/` does not take `/orders`; that of an endpoint does. */
function takesWithoutSlash({ path }: MatchCell, { path: other }: MatchCell): boolean {
  if (path.isExact || path.literal === '/' || !path.literal.endsWith('/')) return false;
  const point = path.literal.slice(0, -1);
  return other.isExact ? other.literal === point : point.startsWith(other.literal);
}

/** Whether some path is taken by the endpoint's rule and by the route in Kong. */
function sharePaths({ path: { rule } }: MatchCell, { path: { literal, isExact } }: MatchCell): boolean {
  if (rule === null) return false;
  const { comparable, kind } = rule;
  if (kind === 'exact') return isExact ? comparable === literal : comparable.startsWith(literal);
  if (literal === comparable || literal.startsWith(`${comparable}/`)) return true;
  return !isExact && comparable.startsWith(literal);
}

/** Whether Postern gives a request that both rules match to the first. */
function beats(first: MatchCell, second: MatchCell): boolean {
  const a = first.path.rule;
  const b = second.path.rule;
  if (a === null || b === null) return false;
  if (first.host.pattern !== second.host.pattern) return containsHost(second.host, first.host);
  if (a.kind !== b.kind) return a.kind === 'exact';
  if (a.comparable !== b.comparable) return a.comparable.startsWith(`${b.comparable}/`);
  return first.methods.length > 0 && second.methods.length === 0;
}

/** Whether the rule's path goes on within a segment of Kong's prefix: no endpoint with that prefix takes it. */
function continuesSegment({ path: { rule } }: MatchCell, { path: { rule: other } }: MatchCell): boolean {
  if (rule === null || other === null) return false;
  const { comparable } = rule;
  const start = other.comparable;
  return comparable.length > start.length && comparable.startsWith(start) && comparable.charAt(start.length) !== '/';
}

/** Whether Kong's prefix takes paths that end it within a segment, and the endpoint's rule takes them then. */
function endsWithin({ path: { rule } }: MatchCell, { path: { literal, isExact } }: MatchCell): boolean {
  if (isExact || literal.endsWith('/') || rule === null) return false;
  return rule.kind === 'prefix' && literal.startsWith(`${rule.comparable}/`);
}

/** Whether a third rule, as strict as the stricter route, takes what both share before the first one can. */
function isTakenBefore(
  rule: MatchCell,
  stricter: MatchCell,
  { paths, strictness, budget }: Search,
  what: 'all' | 'point',
): boolean {
  const { literal } = stricter.path;
  const point = rule.path.literal.slice(0, -1);
  for (const third of paths.above(what === 'point' ? point : literal)) {
    budget.left -= 1;
    if (budget.left < 0) return false;
    const path = third.path.rule;
    if (path === null || third.draft === rule.draft) continue;
    const covers =
      what === 'point'
        ? path.comparable === point && (path.kind === 'exact' || beats(third, rule))
        : path.kind === 'prefix' && literal.startsWith(`${path.comparable}/`);
    if (!covers || !containsHost(third.host, stricter.host) || !containsMethods(third, stricter)) continue;
    if (!beats(third, rule)) continue;
    if (third.draft.isClosed || strictness.isAtLeastAsStrict(third.draft.decision, stricter.draft.decision))
      return true;
  }
  return false;
}

function containsMethods({ methods: outer }: MatchCell, { methods: inner }: MatchCell): boolean {
  return outer.length === 0 || (inner.length > 0 && inner.every((method) => outer.includes(method)));
}
