import type { Declared } from '../../resources/declared.ts';
import type { AuthenticationMethod } from '../../model/endpoint.ts';
import { type Place, placeIn } from '../../document/problem-log.ts';
import { quoted } from '../../document/problem.ts';
import type { PluginSettings } from '../../methods/kong.ts';
import type { FindingLog } from './finding.ts';
import type { KongPlugin } from './kong-entities.ts';
import { hasValue, type KongReader, unknownKeys, valuesOf } from './kong-reader.ts';
import { type ImportedMethod, importedMethods, kindOfPlugin, preferredMethods } from './plugin-kinds.ts';

/** How callers of a route authenticate: not at all, in a way that an endpoint has, or in one that none has. */
type RouteAuthentication =
  | { readonly kind: 'open' }
  | { readonly kind: 'method'; readonly method: AuthenticationMethod; readonly options: Declared }
  | { readonly kind: 'refused' };

/**
 * Reads what several authentication plugins on one route mean. Without `anonymous`, Kong wants all of them to pass; one
 * with `anonymous` lets the request go on when it fails (kong/plugins/key-auth/handler.lua, logical_AND and
 * logical_OR_authentication). An endpoint has one method, and never lets a caller in who has none.
 */
export function decideAuthentication(
  plugins: ReadonlyMap<string, KongPlugin>,
  subject: string,
  place: Place,
  reader: KongReader,
  findings: FindingLog,
): RouteAuthentication {
  const all = [...plugins.values()].filter(({ name }) => kindOfPlugin(name).kind.endsWith('authentication'));
  if (all.length === 0) return { kind: 'open' };
  const isOptional = ({ config }: KongPlugin): boolean =>
    hasValue(config, 'anonymous') && reader.text(config, 'anonymous') !== '';
  const required = all.filter((plugin) => !isOptional(plugin));
  const names = (list: readonly KongPlugin[]): string => list.map(({ name }) => quoted(name)).join(', ');

  if (required.length > 1) {
    findings.add('error', place, {
      subject,
      what: `wants callers to pass ${names(required)}, all of them; an endpoint has one method: it refuses everything`,
      instead: 'choose one method, then write it and "enabled: true" by hand',
    });
    return { kind: 'refused' };
  }
  const candidates = required.length === 1 ? required : all;
  const [chosen] = preferredMethods.flatMap((imported) =>
    candidates.filter(({ name }) => name === imported.plugin).map((plugin) => ({ imported, plugin })),
  );
  if (chosen === undefined) {
    findings.add('error', place, {
      subject,
      what: `authenticates callers by ${names(candidates)}, which Postern has not: the endpoint refuses everything`,
      instead: `choose a method (${importedMethods.map(({ method }) => method).join(', ')}), issue credentials, then write it and "enabled: true" by hand`,
    });
    return { kind: 'refused' };
  }
  const { imported, plugin } = chosen;
  if (required.length === 0) {
    if (all.length > 1) {
      findings.add('error', place, {
        subject,
        what: `takes callers who pass any of ${names(all)}; an endpoint has one method: this one takes only ${quoted(plugin.name)}`,
        instead: 'give the others credentials of this method, or an address of their own with another endpoint',
      });
    }
    findings.add('warning', placeIn(plugin.config.place, 'anonymous'), {
      subject: `plugin ${quoted(plugin.name)}`,
      what: 'lets callers without valid credentials in as an anonymous consumer; Postern refuses them (401)',
      instead: 'give them credentials, or publish what anybody may have on a path of its own with "scenario: open"',
    });
  }
  const options = readOptions(imported, plugin, reader, findings);
  return options === null ? { kind: 'refused' } : { kind: 'method', method: imported.method, options };
}

const sharedSettings = ['anonymous', 'hide_credentials', 'realm', 'identity_realms', '__key__'];

/** The options that stand for the settings of an authentication plugin; null when not all can be imported, which has been reported. */
function readOptions(
  { settings: own, readOptions: read }: ImportedMethod,
  plugin: KongPlugin,
  reader: KongReader,
  findings: FindingLog,
): Declared | null {
  const settings: PluginSettings = {
    ...valuesOf(plugin.config, reader),
    report: (level, path, words) => {
      findings.add(level, placeIn(plugin.config.place, ...path), {
        subject: `plugin ${quoted(plugin.name)}`,
        ...words,
      });
    },
  };
  const unknown = unknownKeys(plugin.config, new Set([...sharedSettings, ...own]));
  for (const key of unknown) {
    settings.report('error', [key], {
      what: `has the setting ${quoted(key)}, which is not known here: the endpoints it applies to refuse everything`,
      instead: 'compare what it does in Kong, then enable the endpoints by hand',
    });
  }
  const options = read(settings);
  if (unknown.length > 0 || options === null) return null;
  // Kong's default is to show credentials to back ends, Postern's to hide them: what Kong does is kept.
  return { ...options, ...(settings.flag('hide_credentials', false) ? {} : { hideCredentials: false }) };
}
