import type { Place } from '../../document/problem-log.ts';
import { placeIn } from '../../document/problem-log.ts';
import { importAuthentication } from './authentication.ts';
import { type FindingLog, quoted } from './finding.ts';
import type { KongPlugin } from './kong-entities.ts';
import type { ImportedMethod } from './imported-method.ts';
import { hasValue, type KongReader } from './kong-reader.ts';
import { importedAuthentication, kindOfPlugin } from './plugin-kinds.ts';

/** How callers of a route authenticate: not at all, in a way that an endpoint has, or in one that none has. */
export type RouteAuthentication =
  | { readonly kind: 'open' }
  | { readonly kind: 'method'; readonly imported: ImportedMethod; readonly plugin: KongPlugin }
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
  const [plugin] = importedAuthentication.flatMap((name) => candidates.filter((candidate) => candidate.name === name));
  if (plugin === undefined) {
    findings.add('error', place, {
      subject,
      what: `authenticates callers by ${names(candidates)}, which Postern has not: the endpoint refuses everything`,
      instead: 'choose a method (key, hmac, oauth2), issue credentials, then write it and "enabled: true" by hand',
    });
    return { kind: 'refused' };
  }
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
  const imported = importAuthentication(plugin, reader, findings);
  return imported === null ? { kind: 'refused' } : { kind: 'method', imported, plugin };
}
