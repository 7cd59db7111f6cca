import { quoted } from '../../../model/document/problem.ts';
import type { KeySchemes } from '../../../check/methods/kong.ts';
import type { AuthenticationMethod } from '../../../model/endpoint.ts';
import type { Declared } from '../../../resources/declared.ts';
import type { RouteDecision } from './route-decision.ts';
import { aclSettings, type AllowedBy } from './groups-and-grants.ts';
import type { ImportContext } from './import-context.ts';
import { type KongPlugin, type KongRoute, nameOfRoute } from './kong-entities.ts';
import { type ImportedMethod, importedMethods, kindOfPlugin, preferredMethods } from './plugin-kinds.ts';
import type { EffectivePlugins } from './plugins.ts';
import type { RouteLimits } from './rate-limiting.ts';

/** What deciding about a route of Kong takes. */
export interface DecisionContext extends ImportContext {
  readonly effective: EffectivePlugins;
  readonly allowed: AllowedBy;
  readonly limits: RouteLimits;
  readonly keySchemes: KeySchemes;
}

/**
 * Decides who gets in on a route: never more than in Kong. What Postern cannot judge makes the endpoint refuse
 * everything.
 */
export function decideRoute(route: KongRoute, context: DecisionContext): RouteDecision {
  const plugins = context.effective.forRoute(route);
  const authentication = decideAuthentication(plugins, route, context.keySchemes);
  let isRefused = route.isDoubtful || authentication === 'refused';
  for (const plugin of plugins.values()) if (keepsClosed(plugin, route, context)) isRefused = true;
  const { method, options } = typeof authentication === 'string' ? { method: null, options: {} } : authentication;
  const acl = plugins.get('acl') ?? null;
  if (acl !== null && authentication === 'open') {
    route.report('warning', [], {
      what: 'has an acl but authenticates no caller, so that Kong refuses everything; the endpoint does too',
    });
    isRefused = true;
  }
  const unknown = acl?.config.unknownKeys(aclSettings) ?? [];
  if (unknown.length > 0) {
    acl?.config.report('error', [], {
      what: `has ${unknown.map(quoted).join(', ')}, which the importer does not know: the endpoints it applies to refuse everything`,
    });
    isRefused = true;
  }
  const allowed = acl === null ? null : context.allowed(acl);
  const limited = context.limits.ofRoute(route, method !== null);
  return { ...limited, method, options, allowed, isRefused: isRefused || limited.isRefused };
}

/** How callers of a route authenticate: not at all, in a way that an endpoint has, or in one that none has. */
type RouteAuthentication = 'open' | 'refused' | { readonly method: AuthenticationMethod; readonly options: Declared };

/**
 * Reads what several authentication plugins on one route mean. Without `anonymous`, Kong wants all of them to pass; one
 * with `anonymous` lets the request go on when it fails (kong/plugins/key-auth/handler.lua, logical_AND and
 * logical_OR_authentication). An endpoint has one method, and never lets a caller in who has none.
 */
function decideAuthentication(
  plugins: ReadonlyMap<string, KongPlugin>,
  { report }: KongRoute,
  schemes: KeySchemes,
): RouteAuthentication {
  const all = [...plugins.values()].filter(({ name }) => kindOfPlugin(name).kind.endsWith('authentication'));
  if (all.length === 0) return 'open';
  const required = all.filter(({ config }) => (config.text('anonymous') ?? '') === '');
  const names = (list: readonly KongPlugin[]): string => list.map(({ name }) => quoted(name)).join(', ');
  if (required.length > 1) {
    report('error', [], {
      what: `requires callers to pass all of ${names(required)}; an endpoint has one method: it refuses everything`,
      instead: 'choose one method, then write it and "enabled: true" by hand',
    });
    return 'refused';
  }
  const candidates = required.length === 1 ? required : all;
  const [chosen] = preferredMethods.flatMap((imported) =>
    candidates.filter(({ name }) => name === imported.plugin).map((plugin) => ({ imported, plugin })),
  );
  if (chosen === undefined) {
    const known = importedMethods.map(({ method }) => method).join(', ');
    report('error', [], {
      what: `authenticates callers by ${names(candidates)}, which Postern does not support: the endpoint refuses everything`,
      instead: `choose a method (${known}), issue credentials, then write it and "enabled: true" by hand`,
    });
    return 'refused';
  }
  const { imported, plugin } = chosen;
  if (required.length === 0) {
    if (all.length > 1) {
      report('error', [], {
        what: `accepts callers who pass any of ${names(all)}; an endpoint has one method: this one accepts only ${quoted(plugin.name)}`,
        instead: 'give the others credentials of this method, or an address of their own with another endpoint',
      });
    }
    plugin.config.report('warning', ['anonymous'], {
      what: 'lets callers without valid credentials in as an anonymous consumer; Postern refuses them (401)',
      instead: 'give them credentials, or publish what anyone may have on a path of its own with "scenario: open"',
    });
  }
  const options = readOptions(imported, plugin, schemes);
  return options === null ? 'refused' : { method: imported.method, options };
}

/** The settings that every authentication plugin has. */
const sharedSettings = ['anonymous', 'hide_credentials', 'realm', 'identity_realms', '__key__'];

/**
 * The options that stand for the settings of an authentication plugin; null, and a reported error, when not all can be
 * imported.
 */
function readOptions(imported: ImportedMethod, { config }: KongPlugin, schemes: KeySchemes): Declared | null {
  const unknown = config.unknownKeys(new Set([...sharedSettings, ...imported.settings]));
  for (const key of unknown) {
    config.report('error', [key], {
      what: `has the setting ${quoted(key)}, which the importer does not know: the endpoints it applies to refuse everything`,
      instead: 'compare what it does in Kong, then enable the endpoints by hand',
    });
  }
  const options = imported.readOptions(config, schemes);
  if (unknown.length > 0 || options === null) return null;
  // Kong's default is to show credentials to back ends, Postern's to hide them: what Kong does is kept.
  return { ...options, ...(config.flag('hide_credentials', false) ? {} : { hideCredentials: false }) };
}

/** Whether a plugin that is not imported makes its routes refuse everything. */
function keepsClosed(plugin: KongPlugin, route: KongRoute, context: DecisionContext): boolean {
  if (plugin.isDoubtful) return true;
  const { name, place, config } = plugin;
  const { options, findings } = context;
  const reportRoute = findings.about(place, `route ${quoted(nameOfRoute(route))}`);
  const reportPlugin = findings.about(place, `plugin ${quoted(name)}`);
  const kind = kindOfPlugin(name);
  switch (kind.kind) {
    case 'authentication':
    case 'other-authentication':
    case 'acl':
    case 'limit':
      return false;
    case 'bystander':
      reportPlugin('note', [], { what: 'keeps no caller out and was left out', instead: kind.instead });
      return false;
    case 'cors':
      reportPlugin('warning', [], {
        what: 'answers preflight requests before callers are authenticated; an endpoint refuses them (401)',
        instead: 'put Envoy’s cors filter before ext_authz',
      });
      return false;
    case 'termination':
      if (config.text('trigger') === null) {
        reportRoute('warning', [], {
          what: 'is ended by "request-termination"; the endpoint refuses everything too, with 404',
        });
      } else {
        reportRoute('error', [], {
          what: 'is ended by "request-termination" for some requests only; the endpoint refuses everything',
          instead: 'do it in Envoy’s routes, then write "enabled: true" by hand',
        });
      }
      return true;
    case 'restricting':
      if (options.elsewhere.has(name)) {
        reportPlugin('warning', [], {
          what: 'was left out, because --elsewhere says that its work is done elsewhere',
          instead: kind.instead,
        });
        return false;
      }
      reportRoute('error', [], {
        what: `has the plugin ${quoted(name)}, which may keep requests out and which Postern does not support: the endpoint refuses everything`,
        instead: `${kind.instead}; then import again with --elsewhere ${name}`,
      });
      return true;
  }
}
