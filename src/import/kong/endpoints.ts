import { declareLimits } from '../../resources/limits.ts';
import type { Declared } from '../../resources/declared.ts';
import { placeIn } from '../../document/problem-log.ts';
import type { AuthenticationMethod } from '../../model/endpoint.ts';
import type { Limit } from '../../model/limit.ts';
import { decideAuthentication } from './authentication.ts';
import { quoted } from '../../document/problem.ts';
import type { FindingLog } from './finding.ts';
import { aclKeys, type AllowedBy } from './groups-and-grants.ts';
import type { ImportOptions } from './import-options.ts';
import {
  type KongConfiguration,
  type KongConsumer,
  type KongPlugin,
  type KongRoute,
  nameOfRoute,
  nameOfService,
} from './kong-entities.ts';
import { hasValue, type KongReader, unknownKeys } from './kong-reader.ts';
import { carriedPaths, type EndpointDraft } from './match-cell.ts';
import { closeGaps, resolveCollisions } from './overlaps.ts';
import { kindOfPlugin } from './plugin-kinds.ts';
import type { EffectivePlugins } from './plugins.ts';
import type { RouteLimits } from './rate-limiting.ts';
import { readRouteMatch } from './route-match.ts';
import { strictnessOf } from './strictness.ts';
import { tellNotFound } from './tell-not-found.ts';
import { uniqueIds } from './unique-ids.ts';

const STREAM_PROTOCOLS: ReadonlySet<string> = new Set(['tcp', 'tls', 'udp', 'tls_passthrough']);

/** The routes that Kong serves by HTTP. */
export function servedRoutes(
  { routes }: KongConfiguration,
  findings: DecisionContext['findings'],
): readonly KongRoute[] {
  return routes.filter((route) => {
    const subject = `route ${quoted(nameOfRoute(route))}`;
    if (route.service?.isEnabled === false) {
      findings.add('note', route.place, {
        subject,
        what: 'leads to a service that is not enabled: Kong does not serve it, and it was left out',
      });
      return false;
    }
    if (route.protocols.length > 0 && route.protocols.every((protocol) => STREAM_PROTOCOLS.has(protocol))) {
      findings.add('note', route.place, {
        subject,
        what: 'is not about HTTP and was left out',
        instead: 'write it as a listener of Envoy',
      });
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
  const { findings, options } = context;
  const ids = uniqueIds(routes.map((route) => ({ name: nameFor(route), identity: identityOf(route) })));
  const drafts = routes.map(
    (route, index): EndpointDraft => ({
      id: ids[index] ?? '',
      route,
      match: readRouteMatch(route, marksRegexPaths, findings),
      decision: decideRoute(route, context),
      droppedPaths: new Set(),
      isClosed: false,
    }),
  );
  const strictness = strictnessOf(drafts.map(({ decision }) => decision));
  resolveCollisions(drafts, strictness, findings);
  closeGaps(drafts, strictness, options, findings);
  tellNotFound(drafts, options.wholeSegments, findings);
  return drafts;
}

/** Whether the document has an endpoint for a route. */
export function isEmitted(draft: EndpointDraft): boolean {
  return carriedPaths(draft).length > 0 && draft.match.hosts.some(({ isCarried }) => isCarried);
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
    description: withoutSurrogates(`Kong route ${nameOfRoute(route)}${service}`),
    scenario: 'partner-openapi',
    match: {
      ...(hosts.length === 0 ? {} : { hosts }),
      paths: carriedPaths(draft).flatMap(({ rule }) => (rule === null ? [] : rule.written)),
      ...(match.methods.length === 0 ? {} : { methods: match.methods }),
    },
  };
  if (method === null && !isEnabled) {
    // Whoever enables it without another look opens nothing: nobody has a grant.
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

/** What tells apart routes of the same name: the name as written or, without one, what they match. */
function identityOf({ name, service, hosts, paths, methods, place }: KongRoute): string {
  if (name !== null) return name;
  const identity = JSON.stringify([service?.name ?? null, [...hosts].sort(), [...paths].sort(), [...methods].sort()]);
  return hosts.length + paths.length + methods.length > 0 ? identity : `${identity} ${place.path.join('.')}`;
}

function withoutSurrogates(text: string): string {
  return text.replaceAll(/\p{Cs}/gu, '\ufffd');
}

/** Who gets in on a route. */
export interface RouteDecision {
  /** Null: nobody is authenticated. */
  readonly method: AuthenticationMethod | null;
  readonly options: Declared;
  /** Null: everybody who is authenticated. */
  readonly allowed: ReadonlySet<KongConsumer> | null;
  /** Refuses everything, because of what could not be taken over. */
  readonly isRefused: boolean;
  readonly limits: readonly Limit[];
  readonly deniesOnFailure: boolean;
}

/** What decisions are made from. */
interface DecisionContext {
  readonly effective: EffectivePlugins;
  readonly allowed: AllowedBy;
  readonly limits: RouteLimits;
  readonly options: ImportOptions;
  readonly reader: KongReader;
  readonly findings: FindingLog;
}

/** Decides who gets in on a route: never more than in Kong. What Postern cannot judge makes the endpoint refuse everything. */
function decideRoute(route: KongRoute, context: DecisionContext): RouteDecision {
  const { effective, reader, findings, limits: routeLimits } = context;
  const plugins = effective.forRoute(route);
  const subject = `route ${quoted(nameOfRoute(route))}`;
  const authentication = decideAuthentication(plugins, subject, route.place, reader, findings);
  let isRefused = authentication.kind === 'refused';
  for (const plugin of plugins.values()) if (keepsClosed(plugin, subject, context)) isRefused = true;

  const method = authentication.kind === 'method' ? authentication.method : null;
  const options = authentication.kind === 'method' ? authentication.options : {};
  const acl = plugins.get('acl') ?? null;
  if (acl !== null && authentication.kind === 'open') {
    findings.add('warning', route.place, {
      subject,
      what: 'has an acl but authenticates nobody, so that Kong refuses everything; the endpoint does too',
    });
    isRefused = true;
  }
  const unknown = acl === null ? [] : unknownKeys(acl.config, aclKeys);
  if (unknown.length > 0) {
    findings.add('error', acl?.config.place ?? route.place, {
      subject: 'plugin "acl"',
      what: `has ${unknown.map(quoted).join(', ')}, which is not known here: the endpoints it applies to refuse everything`,
    });
    isRefused = true;
  }
  const allowed = acl === null ? null : context.allowed(acl);
  const limited = routeLimits.ofRoute(route, method !== null);
  return {
    method,
    options,
    allowed,
    isRefused: isRefused || limited.isRefused,
    limits: limited.limits,
    deniesOnFailure: limited.deniesOnFailure,
  };
}

/** Whether a plugin that is not taken over makes its routes refuse everything. */
function keepsClosed(plugin: KongPlugin, subject: string, { options, findings, reader }: DecisionContext): boolean {
  const { name, place, config } = plugin;
  const kind = kindOfPlugin(name);
  switch (kind.kind) {
    case 'authentication':
    case 'other-authentication':
    case 'acl':
    case 'limit':
      return false;
    case 'bystander':
      findings.add('note', place, {
        subject: `plugin ${quoted(name)}`,
        what: 'keeps nobody out and was left out',
        instead: kind.instead,
      });
      return false;
    case 'cors':
      findings.add('warning', place, {
        subject: 'plugin "cors"',
        what: 'answers preflight requests before anybody is authenticated; an endpoint refuses them (401)',
        instead: 'put Envoy’s cors filter before ext_authz',
      });
      return false;
    case 'termination':
      if (hasValue(config, 'trigger') && reader.text(config, 'trigger') !== null) {
        findings.add('error', place, {
          subject,
          what: 'is ended by "request-termination" for some requests only; the endpoint refuses everything',
          instead: 'do it in Envoy’s routes, then write "enabled: true" by hand',
        });
      } else {
        findings.add('warning', place, {
          subject,
          what: 'is ended by "request-termination"; the endpoint refuses everything too, with 404',
        });
      }
      return true;
    case 'restricting': {
      if (options.elsewhere.has(name)) {
        findings.add('warning', place, {
          subject: `plugin ${quoted(name)}`,
          what: 'was left out, because it was said that its work is done elsewhere',
          instead: kind.instead,
        });
        return false;
      }
      findings.add('error', place, {
        subject,
        what: `has the plugin ${quoted(name)}, which may keep requests out and which Postern has not: the endpoint refuses everything`,
        instead: `${kind.instead}; then import again with --elsewhere ${name}`,
      });
      return true;
    }
  }
}

/** Where findings about a route's decision point to. */
export function placeOfMatch(route: KongRoute): KongRoute['place'] {
  return route.paths.length > 0 ? placeIn(route.place, 'paths') : route.place;
}
