import { declareLimits } from '../../../resources/limits.ts';
import type { Declared } from '../../../resources/declared.ts';
import type { ProblemLog } from '../../../model/document/problem-log.ts';
import type { PluginSettings } from '../../../check/methods/kong.ts';
import { isEmitted, type EndpointDraft } from './match-cell.ts';
import type { KongConsumer, KongPlugin } from './kong-entities.ts';
import { type EffectivePlugins, orMade } from './plugins.ts';
import type { RouteLimits } from './rate-limiting.ts';

/** The settings of `acl` (kong/plugins/acl/schema.lua), those of Kong before 3 and of Kong Enterprise. */
export const aclSettings: ReadonlySet<string> = new Set([
  ...['allow', 'deny', 'whitelist', 'blacklist', 'hide_groups_header', 'always_use_authenticated_groups'],
  'include_consumer_groups',
]);

/** The consumers that an `acl` plugin lets in. */
export type AllowedBy = (plugin: KongPlugin) => ReadonlySet<KongConsumer>;

/**
 * Reads `acl` plugins (kong/plugins/acl/handler.lua): with `allow`, those of one of the groups are let in; with `deny`,
 * those of none. Configurations before Kong 3 call the lists `whitelist` and `blacklist`. Each plugin is read once.
 */
export function allowedBy(consumers: readonly KongConsumer[]): AllowedBy {
  const known = new Map<KongPlugin['config']['raw'], ReadonlySet<KongConsumer>>();
  const members = membersOf(consumers, ({ groups }) => groups);
  const enterpriseMembers = membersOf(consumers, ({ consumerGroups }) => consumerGroups);
  return ({ config }) => {
    const before = known.get(config.raw);
    if (before !== undefined) return before;
    const deny = [...config.texts('deny'), ...config.texts('blacklist')];
    const allow = [...config.texts('allow'), ...config.texts('whitelist')];
    const countsBoth = config.flag('include_consumer_groups', false);
    const inAny = (names: readonly string[]): ReadonlySet<KongConsumer> =>
      new Set(
        [...new Set(names)].flatMap((name) => [
          ...(members.get(name) ?? []),
          ...(countsBoth ? (enterpriseMembers.get(name) ?? []) : []),
        ]),
      );
    reportAcl(config, deny.length > 0);
    const allowed = inAny(allow);
    const denied = inAny(deny);
    // Kong looks at `deny` first and takes only one of the two. The order is that of the file.
    const isLetIn = (consumer: KongConsumer): boolean =>
      !consumer.isDoubtful &&
      (deny.length === 0
        ? allowed.has(consumer)
        : !denied.has(consumer) && (allow.length === 0 || allowed.has(consumer)));
    const letIn = new Set(consumers.filter(isLetIn));
    known.set(config.raw, letIn);
    return letIn;
  };
}

function reportAcl(config: PluginSettings, denies: boolean): void {
  config.report(denies ? 'warning' : 'note', [], {
    what: denies
      ? 'lets in every consumer outside some groups; the endpoint has a grant for each consumer that is in none of them now, and lets no other one in'
      : 'lets groups in; the endpoint has a grant for every consumer that is in one of them now',
    instead: 'give later consumers a grant: postern grant add',
  });
  if (config.flag('hide_groups_header', false)) return;
  config.report('warning', ['hide_groups_header'], {
    what: 'sends the caller’s groups to back ends in X-Consumer-Groups; Postern does not, and removes that header',
    instead: 'look at X-Consumer-Id in the back end',
  });
}

function membersOf(
  consumers: readonly KongConsumer[],
  groupsOf: (consumer: KongConsumer) => ReadonlySet<string>,
): ReadonlyMap<string, readonly KongConsumer[]> {
  const members = new Map<string, KongConsumer[]>();
  for (const consumer of consumers) {
    for (const group of groupsOf(consumer)) orMade(members, group, (): KongConsumer[] => []).push(consumer);
  }
  return members;
}

/** More grants than these are not written: groups of Kong would have become a file that no operator can read. */
const MAX_GRANTS = 500_000;

/** Grants, and the consumers of whom a limit could not be imported. */
interface ImportedGrants {
  readonly declared: readonly Declared[];
  readonly unlimited: ReadonlySet<KongConsumer>;
}

/** Who is let in by groups, and the limits that single consumers have. */
export function importGrants(
  drafts: readonly EndpointDraft[],
  ids: ReadonlyMap<KongConsumer, string>,
  effective: EffectivePlugins,
  limits: RouteLimits,
  problems: ProblemLog,
): ImportedGrants {
  const declared: Declared[] = [];
  const unlimited = new Set<KongConsumer>();
  for (const draft of drafts) {
    const { decision, route, id } = draft;
    if (!isEmitted(draft) || decision.method === null) continue;
    // Without groups, only those with limits of their own get a grant.
    for (const consumer of decision.allowed ?? effective.byConsumer.keys()) {
      if (consumer.isDoubtful) continue;
      const own = effective.byConsumer.has(consumer) ? limits.ofConsumer(route, consumer) : null;
      if (own?.isRefused === true) unlimited.add(consumer);
      if (decision.allowed === null && own === null) continue;
      if (declared.length >= MAX_GRANTS) {
        problems.report(
          draft.route.place,
          `the groups of acl plugins would become more than ${String(MAX_GRANTS)} grants; import a part of the routes, or use the access condition "authenticated"`,
        );
        return { declared, unlimited };
      }
      declared.push({
        endpoint: id,
        consumer: ids.get(consumer) ?? '',
        ...(own === null ? {} : { limits: declareLimits(own.limits) }),
      });
    }
  }
  return { declared, unlimited };
}
