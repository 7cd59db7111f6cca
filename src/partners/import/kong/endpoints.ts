import { replaceUnseen } from '../../../base/text/unseen.ts';
import { MAX_DESCRIPTION_CHARACTERS, MAX_ENDPOINTS_BYTES, MAX_PATH_SEGMENTS } from '../../../model/bounds.ts';
import { type EndpointMatch, segmentCount } from '../../../model/endpoint.ts';
import type { Declared } from '../../../resources/declared.ts';
import { declareLimits } from '../../../resources/limits.ts';
import { type DecisionContext, decideRoute } from './decide-route.ts';
import { type KongRoute, nameOfRoute, nameOfService } from './kong-entities.ts';
import { carriedPaths, type EndpointDraft, isEmitted } from './match-cell.ts';
import { closeGaps, resolveCollisions } from './overlaps.ts';
import { readRouteMatch } from './route-match.ts';
import { strictnessOf } from './strictness.ts';
import { reportNotFound } from './report-not-found.ts';
import { uniqueIds } from './unique-ids.ts';

const STREAM_PROTOCOLS: ReadonlySet<string> = new Set(['tcp', 'tls', 'udp', 'tls_passthrough']);

/** The routes that Kong serves by HTTP. */
export function servedRoutes(routes: readonly KongRoute[]): readonly KongRoute[] {
  return routes.filter(({ service, protocols, report }) => {
    if (service?.isEnabled === false) {
      report('note', [], {
        what: 'leads to a service that is not enabled: Kong does not serve it, and it was left out',
      });
      return false;
    }
    if (protocols.length > 0 && protocols.every((protocol) => STREAM_PROTOCOLS.has(protocol))) {
      report('note', [], { what: 'is not an HTTP route and was left out', instead: 'write it as a listener of Envoy' });
      return false;
    }
    return true;
  });
}

/** Makes an endpoint of each route; those that cannot be judged, or would let in more than Kong, refuse everything. */
export function draftEndpoints(
  routes: readonly KongRoute[],
  marksRegexPaths: boolean,
  context: DecisionContext,
): readonly EndpointDraft[] {
  const ids = uniqueIds(routes.map((route) => ({ name: nameFor(route), identity: identityOf(route) })));
  const drafts = routes.map(
    (route, index): EndpointDraft => ({
      id: ids[index] ?? '',
      route,
      match: readRouteMatch(route, marksRegexPaths),
      decision: decideRoute(route, context),
      droppedPaths: new Set(),
      isClosed: false,
    }),
  );
  leaveOutBeyond(drafts, context.options.observes);
  const strictness = strictnessOf(drafts.map(({ decision }) => decision));
  resolveCollisions(drafts, strictness);
  closeGaps(drafts, strictness, context.options);
  reportNotFound(drafts, context);
  return drafts;
}

/** What a database adds to each host, path and method, and to each endpoint, at most. */
const BYTES_OF_ITEM = 16;
const BYTES_OF_ENDPOINT = 256;

/** Leaves out the routes, in the order of the file, that would make endpoints more than a store may have. */
function leaveOutBeyond(drafts: readonly EndpointDraft[], observes: boolean): void {
  const left = { segments: MAX_PATH_SEGMENTS, bytes: MAX_ENDPOINTS_BYTES };
  for (const draft of drafts.filter(isEmitted)) {
    const { route } = draft;
    const declared = declareDraft(draft, observes);
    const {
      hosts = [],
      paths,
      methods = [],
    } = declared['match'] as Partial<EndpointMatch> & Pick<EndpointMatch, 'paths'>;
    const segments = segmentCount({ hosts, paths });
    const items = hosts.length + paths.length + methods.length;
    const bytes = Buffer.byteLength(JSON.stringify(declared)) + items * BYTES_OF_ITEM + BYTES_OF_ENDPOINT;
    if (segments <= left.segments && bytes <= left.bytes) {
      left.segments -= segments;
      left.bytes -= bytes;
      continue;
    }
    for (const path of draft.match.paths) draft.droppedPaths.add(path);
    const bound =
      segments > left.segments
        ? `${String(MAX_PATH_SEGMENTS)} segments of paths, counted for each host,`
        : `${String(MAX_ENDPOINTS_BYTES / 1024 / 1024)} MiB`;
    route.report('error', [], {
      what: `is beyond the ${bound} that all endpoints together may have: it was left out`,
      instead: 'take paths or hosts away that are not needed, or divide the file for several stores',
    });
  }
}

/** An endpoint as a declarative file has it. */
export function declareDraft(draft: EndpointDraft, observes: boolean): Declared {
  const { id, route, match, decision } = draft;
  const hosts = [...new Set(match.hosts.flatMap(({ isCarried, pattern }) => (isCarried ? (pattern ?? []) : [])))];
  const { method, allowed, limits } = decision;
  const isEnabled = !decision.isRefused && !draft.isClosed;
  const service = route.service === null ? '' : `, service ${nameOfService(route.service)}`;
  const base = {
    id,
    description: replaceUnseen(`Kong route ${nameOfRoute(route)}${service}`.slice(0, MAX_DESCRIPTION_CHARACTERS)),
    scenario: 'partner-openapi',
    match: {
      ...(hosts.length === 0 ? {} : { hosts }),
      paths: carriedPaths(draft).flatMap(({ rule }) => (rule === null ? [] : rule.written)),
      ...(match.methods.length === 0 ? {} : { methods: match.methods }),
    },
  };
  if (method === null && !isEnabled) {
    // Enabling it without another look opens nothing: no consumer has a grant.
    return { ...base, authentication: 'key', accessCondition: 'authenticated-and-authorized', enabled: false };
  }
  const options = {
    ...decision.options,
    // Kong, behind the endpoint, needs the credentials.
    ...(observes && method !== null ? { hideCredentials: false } : {}),
    ...(observes ? { mode: 'observe' } : {}),
    ...(decision.deniesOnFailure && !observes ? { onLimiterFailure: 'deny' } : {}),
  };
  return {
    ...base,
    scenario: method === null ? 'open' : 'partner-openapi',
    ...(method === null ? {} : { authentication: method }),
    ...(allowed === null ? {} : { accessCondition: 'authenticated-and-authorized' }),
    ...(limits.length === 0 ? {} : { trafficControl: { limits: declareLimits(limits) } }),
    ...(Object.keys(options).length === 0 ? {} : { options }),
    ...(isEnabled ? {} : { enabled: false }),
  };
}

/** The name of a route or, without one, what people would call it. */
function nameFor(route: KongRoute): string {
  if (route.name !== null) return route.name;
  const service = route.service?.name ?? '';
  const [path = ''] = route.paths;
  const [host = ''] = route.hosts;
  return (
    [service, path.replaceAll(/[^A-Za-z0-9]+/g, ' ').trim() || host].filter((part) => part !== '').join('-') || 'route'
  );
}

/** What distinguishes routes of the same name: the name as written or, without one, what they match. */
function identityOf({ name, service, hosts, paths, methods, place }: KongRoute): string {
  if (name !== null) return name;
  const identity = JSON.stringify([service?.name ?? null, [...hosts].sort(), [...paths].sort(), [...methods].sort()]);
  return hosts.length + paths.length + methods.length > 0 ? identity : `${identity} ${place.path.join('.')}`;
}
