import { placeIn } from '../../document/problem-log.ts';
import type { FindingLog } from './finding.ts';
import type { KongConsumer, KongPlugin } from './kong-entities.ts';
import type { KongReader } from './kong-reader.ts';

/** The settings of `acl` (kong/plugins/acl/schema.lua), those of Kong before 3 and of Kong Enterprise. */
export const aclKeys: ReadonlySet<string> = new Set([
  ...['allow', 'deny', 'whitelist', 'blacklist', 'hide_groups_header', 'always_use_authenticated_groups'],
  'include_consumer_groups',
]);

/**
 * The consumers that an `acl` plugin lets in (kong/plugins/acl/handler.lua): with `allow`, those of one of the groups;
 * with `deny`, those of none. Configurations before Kong 3 call the lists `whitelist` and `blacklist`.
 */
export function allowedConsumers(
  { config }: KongPlugin,
  consumers: readonly KongConsumer[],
  reader: KongReader,
  findings: FindingLog,
): ReadonlySet<KongConsumer> {
  const deny = [...reader.texts(config, 'deny'), ...reader.texts(config, 'blacklist')];
  const allow = [...reader.texts(config, 'allow'), ...reader.texts(config, 'whitelist')];
  const countsBoth = reader.flag(config, 'include_consumer_groups', false);
  const isIn = ({ groups, consumerGroups }: KongConsumer, names: readonly string[]): boolean =>
    names.some((name) => groups.has(name) || (countsBoth && consumerGroups.has(name)));
  findings.add(deny.length > 0 ? 'warning' : 'note', config.place, {
    subject: 'plugin "acl"',
    what:
      deny.length > 0
        ? 'lets everybody in but some groups; the endpoint has a grant for every consumer of now that is in none of them, and lets nobody else in'
        : 'lets groups in; the endpoint has a grant for every consumer that is in one of them now',
    instead: 'give later consumers a grant: postern grant add',
  });
  if (!reader.flag(config, 'hide_groups_header', false)) {
    findings.add('warning', placeIn(config.place, 'hide_groups_header'), {
      subject: 'plugin "acl"',
      what: 'tells back ends the caller’s groups in X-Consumer-Groups; Postern does not, and removes that header',
      instead: 'look at X-Consumer-Id in the back end',
    });
  }
  if (deny.length === 0) return new Set(consumers.filter((consumer) => isIn(consumer, allow)));
  // Kong looks at `deny` first and takes only one of the two.
  return new Set(
    consumers.filter((consumer) => !isIn(consumer, deny) && (allow.length === 0 || isIn(consumer, allow))),
  );
}
