import { addressListField, declareAddressList, networkAround } from '../../../model/address-list.ts';
import { MAX_ALLOWED_NETWORKS } from '../../../model/bounds.ts';
import { FieldFault } from '../../../model/document/fields.ts';
import { quoted } from '../../../model/document/problem.ts';
import type { PluginConfig } from './kong-mapping.ts';
import type { ImportContext } from './import-context.ts';
import { type KongConsumer, type KongPlugin, nameOfConsumer } from './kong-entities.ts';
import type { EffectivePlugins } from './plugins.ts';

/** The plugin of Kong that compares addresses. */
export const IP_RESTRICTION = 'ip-restriction';

/** Where consumers may call from, as `allowFrom` has it. */
export type AddressLists = ReadonlyMap<KongConsumer, readonly string[]>;

/** The settings of the plugin (kong/plugins/ip-restriction/schema.lua), and of Kong before 3. */
const settings: ReadonlySet<string> = new Set(['allow', 'whitelist', 'deny', 'blacklist', 'status', 'message']);

/**
 * Reads the plugins that compare the addresses of single consumers. Only what `allowFrom` says too is taken: a list of
 * networks for every route. The consumers of all others are missing, and the reason is reported.
 */
export function readAddressLists(
  { byConsumer }: Pick<EffectivePlugins, 'byConsumer'>,
  { options, findings }: ImportContext,
): AddressLists {
  const lists = new Map<KongConsumer, readonly string[]>();
  if (options.elsewhere.has(IP_RESTRICTION)) return lists;
  for (const [consumer, plugins] of byConsumer) {
    const [plugin, ...others] = plugins.filter(({ name }) => name === IP_RESTRICTION);
    if (plugin === undefined) continue;
    const report = findings.about(plugin.place, `consumer ${quoted(nameOfConsumer(consumer))}`);
    const read = others.length > 0 ? SEVERAL : readList(plugin);
    if (typeof read !== 'string') {
      lists.set(consumer, read);
      reportDifferences(plugin.config);
      continue;
    }
    report('error', [], {
      what: `has the plugin "${IP_RESTRICTION}" ${read}: the consumer is disabled`,
      instead: 'write "allowFrom" and "enabled: true" by hand, or do it in Envoy',
    });
  }
  return lists;
}

const SEVERAL = 'several times, where "allowFrom" is one list for every route';

/** The list; else why there is none, in words that follow the name of the plugin. */
function readList({ route, service, config }: KongPlugin): readonly string[] | string {
  if (route !== null || service !== null) return 'for some routes, where "allowFrom" is for all of them';
  const [unknown] = config.unknownKeys(settings);
  if (unknown !== undefined) return `with the setting ${quoted(unknown)}, which the importer does not know`;
  if (config.texts('deny').length + config.texts('blacklist').length > 0) {
    return 'with "deny", where "allowFrom" only allows';
  }
  const texts = [...config.texts('allow'), ...config.texts('whitelist')];
  const networks = [...new Set(texts.map((text) => networkAround(text) ?? text))];
  const list = addressListField(networks);
  if (!(list instanceof FieldFault)) return declareAddressList(list);
  return `with an "allow" that is not 1 to ${String(MAX_ALLOWED_NETWORKS)} networks`;
}

function reportDifferences(config: PluginConfig): void {
  if (config.has('status') || config.has('message')) {
    config.report('warning', [config.has('status') ? 'status' : 'message'], {
      what: 'answers with a status or message of its own; Postern answers 403 ADDRESS_NOT_ALLOWED',
    });
  }
  config.report('warning', [], {
    what: 'compares the address that Kong finds (trusted_ips, real_ip_header); "allowFrom" the one that Envoy finds',
    instead: 'see that Envoy knows the addresses of callers: use_remote_address, xff_num_trusted_hops',
  });
}
