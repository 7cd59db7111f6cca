import { placeIn } from '../../document/problem-log.ts';
import type { Declared } from '../../document/declare/declared.ts';
import type { AuthenticationMethod } from '../../model/endpoint.ts';
import type { Limit } from '../../model/limit.ts';
import { aclKeys, type AllowedBy } from './allowed-consumers.ts';
import { decideAuthentication } from './decide-authentication.ts';
import type { EffectivePlugins } from './effective-plugins.ts';
import { type FindingLog, quoted } from './finding.ts';
import type { ImportOptions } from './import-options.ts';
import { type KongConsumer, type KongPlugin, type KongRoute, nameOfRoute } from './kong-entities.ts';
import { hasValue, type KongReader, unknownKeys } from './kong-reader.ts';
import { kindOfPlugin } from './plugin-kinds.ts';
import type { RouteLimits } from './route-limits.ts';

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
export interface DecisionContext {
  readonly effective: EffectivePlugins;
  readonly allowed: AllowedBy;
  readonly limits: RouteLimits;
  readonly options: ImportOptions;
  readonly reader: KongReader;
  readonly findings: FindingLog;
}

/** Decides who gets in on a route: never more than in Kong. What Postern cannot judge makes the endpoint refuse everything. */
export function decideRoute(route: KongRoute, context: DecisionContext): RouteDecision {
  const { effective, reader, findings, limits: routeLimits } = context;
  const plugins = effective.forRoute(route);
  const subject = `route ${quoted(nameOfRoute(route))}`;
  const authentication = decideAuthentication(plugins, subject, route.place, reader, findings);
  let isRefused = authentication.kind === 'refused';
  for (const plugin of plugins.values()) if (keepsClosed(plugin, subject, context)) isRefused = true;

  const method = authentication.kind === 'method' ? authentication.imported.method : null;
  const options = authentication.kind === 'method' ? authentication.imported.options : {};
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
