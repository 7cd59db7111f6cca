import type { Declared } from '../../resources/declared.ts';
import { ID_PATTERN } from '../../document/fields.ts';
import { placeIn } from '../../document/problem-log.ts';
import { credentialImporter } from './credentials.ts';
import { quoted } from '../../document/problem.ts';
import type { FindingLog } from './finding.ts';
import type { ImportOptions } from './import-options.ts';
import { type KongConsumer, nameOfConsumer } from './kong-entities.ts';
import { byName, commonKeys, type KongMapping, type KongReader, unknownKeys } from './kong-reader.ts';
import { importedMethods, kindOfPlugin } from './plugin-kinds.ts';
import { type EffectivePlugins, type NestedPlugin, nestedPlugins } from './plugins.ts';
import type { ReadingContext } from './read-configuration.ts';
import { uniqueIds } from './unique-ids.ts';

/** The keys of a consumer, with what can be nested in it. */
const consumerKeys: ReadonlySet<string> = new Set([
  ...commonKeys,
  ...['username', 'custom_id', 'plugins', 'groups', 'acls'],
  ...importedMethods.map(({ credential }) => credential.list),
]);

/** Credentials that no authentication method of Postern takes. */
export const foreignCredentials: Readonly<Record<string, string>> = {
  basicauth_credentials: 'basic-auth',
  jwt_secrets: 'jwt',
  mtls_auth_credentials: 'mtls-auth',
  keyauth_enc_credentials: 'key-auth-enc',
  oauth2_tokens: 'oauth2',
};

/** What the file says about callers. */
interface ReadConsumers {
  readonly consumers: readonly KongConsumer[];
  readonly consumerPlugins: readonly NestedPlugin[];
  /** The name of a consumer group that is given by name or id. */
  readonly nameOfGroup: (reference: string) => string;
}

/** Consumers with their groups and credentials, nested or at the top of the file, and the plugins of consumers and groups. */
export function readConsumers(root: KongMapping, context: ReadingContext): ReadConsumers {
  const { reader, problems } = context;
  const consumerPlugins: NestedPlugin[] = [];
  const nameOfGroup = groupNames(root, context);
  const consumers = reader.mappings(root, 'consumers').map((entity) => {
    const consumer = readConsumer(entity, nameOfGroup, context);
    consumerPlugins.push(...nestedPlugins(entity, { consumer }, context));
    return consumer;
  });
  const findConsumer = byName(consumers, ({ id, username }) => [id, username]);
  const ownerOf = (entity: KongMapping): KongConsumer | null => {
    const reference = reader.reference(entity, 'consumer');
    if (reference !== null) return findConsumer(reference, placeIn(entity.place, 'consumer'), problems, 'consumer');
    problems.report(entity.place, '"consumer" is missing; this needs it');
    return null;
  };
  for (const kind of importedMethods) {
    for (const entity of reader.mappings(root, kind.credential.list))
      ownerOf(entity)?.credentials.push({ kind, entity });
  }
  for (const entity of reader.mappings(root, 'acls')) {
    const group = groupOf(entity, context);
    if (group !== null) ownerOf(entity)?.groups.add(group);
  }
  for (const entity of reader.mappings(root, 'consumer_group_consumers')) {
    const group = reader.reference(entity, 'consumer_group');
    if (group !== null) ownerOf(entity)?.consumerGroups.add(nameOfGroup(group));
  }
  for (const entity of reader.mappings(root, 'consumer_group_plugins')) {
    const group = reader.reference(entity, 'consumer_group');
    if (group !== null) consumerPlugins.push({ entity, nesting: { group: nameOfGroup(group) }, isFilterChain: false });
  }
  for (const entity of reader.mappings(root, 'consumer_groups')) {
    const name = reader.text(entity, 'name') ?? reader.text(entity, 'id');
    if (name === null) continue;
    for (const member of reader.items(entity, 'consumers')) {
      const reference = typeof member.raw === 'string' ? member.raw : referenceOf(member, context);
      if (reference !== null) findConsumer(reference, member.place, problems, 'consumer')?.consumerGroups.add(name);
    }
    consumerPlugins.push(...nestedPlugins(entity, { group: name }, context));
  }
  return { consumers, consumerPlugins, nameOfGroup };
}

/** Groups are referred to by name or id: members and plugins have to meet. */
function groupNames(root: KongMapping, { reader }: ReadingContext): ReadConsumers['nameOfGroup'] {
  const names = new Map<string, string>();
  for (const entity of reader.mappings(root, 'consumer_groups')) {
    const id = reader.text(entity, 'id');
    const name = reader.text(entity, 'name');
    if (id !== null && name !== null) names.set(id, name);
  }
  return (reference) => names.get(reference) ?? reference;
}

function readConsumer(
  entity: KongMapping,
  nameOfGroup: ReadConsumers['nameOfGroup'],
  context: ReadingContext,
): KongConsumer {
  const { reader, problems, findings } = context;
  const consumer: KongConsumer = {
    place: entity.place,
    id: reader.text(entity, 'id'),
    username: reader.text(entity, 'username'),
    customId: reader.text(entity, 'custom_id'),
    tags: reader.texts(entity, 'tags'),
    groups: new Set(reader.mappings(entity, 'acls').flatMap((acl) => groupOf(acl, context) ?? [])),
    consumerGroups: new Set(
      reader
        .items(entity, 'groups')
        .flatMap((group) => (typeof group.raw === 'string' ? group.raw : (referenceOf(group, context) ?? [])))
        .map(nameOfGroup),
    ),
    credentials: importedMethods.flatMap((kind) =>
      reader.mappings(entity, kind.credential.list).map((credential) => ({ kind, entity: credential })),
    ),
  };
  if (consumer.username === null && consumer.customId === null) {
    problems.report(entity.place, 'a consumer needs "username" or "custom_id"');
  }
  for (const key of unknownKeys(entity, consumerKeys)) {
    const plugin = Object.hasOwn(foreignCredentials, key) ? foreignCredentials[key] : undefined;
    if (isEmptyList(entity.raw[key])) continue;
    findings.add(plugin === undefined ? 'warning' : 'error', placeIn(entity.place, key), {
      subject: `consumer ${quoted(nameOfConsumer(consumer))}`,
      what:
        plugin === undefined
          ? `has ${quoted(key)}, which is not known here and was left out`
          : `has credentials of ${plugin}, which Postern cannot take over`,
      ...(plugin === undefined ? {} : { instead: 'issue a credential of another method: postern credential issue' }),
    });
  }
  return consumer;
}

function groupOf(entity: KongMapping, { reader, problems }: ReadingContext): string | null {
  const group = reader.text(entity, 'group');
  if (group === null) problems.report(entity.place, '"group" is missing; an entry of "acls" needs it');
  return group;
}

function referenceOf(
  value: Parameters<ReadingContext['reader']['mapping']>[0],
  { reader }: ReadingContext,
): string | null {
  const mapping = reader.mapping(value);
  if (mapping === null) return null;
  return reader.text(mapping, 'name') ?? reader.text(mapping, 'username') ?? reader.text(mapping, 'id');
}

function isEmptyList(raw: unknown): boolean {
  return Array.isArray(raw) && raw.length === 0;
}

/** The consumers of the document. */
interface ImportedConsumers {
  readonly declared: readonly Declared[];
  readonly ids: ReadonlyMap<KongConsumer, string>;
  readonly holdsSecrets: boolean;
}

/** The longest name that a consumer can have. */
const MAX_NAME_LENGTH = 256;
const LONE_SURROGATE = /\p{Cs}/gu;

/** Ids of consumers: Kong's own where the file has it, because back ends know it from X-Consumer-Id; else made of the name. */
export function consumerIds(consumers: readonly KongConsumer[]): ReadonlyMap<KongConsumer, string> {
  const named = consumers.map((consumer) => {
    const { id, username, customId } = consumer;
    const identity = JSON.stringify([username, customId, id]);
    return { name: id !== null && ID_PATTERN.test(id) ? id : (username ?? customId ?? id ?? ''), identity };
  });
  const ids = uniqueIds(named);
  return new Map(consumers.map((consumer, index) => [consumer, ids[index] ?? '']));
}

/** Takes consumers over. `disabled` are those of which something could not be taken over that kept them out. */
export function importConsumers(
  consumers: readonly KongConsumer[],
  ids: ReadonlyMap<KongConsumer, string>,
  disabled: ReadonlySet<KongConsumer>,
  reader: KongReader,
  findings: FindingLog,
): ImportedConsumers {
  const credentials = credentialImporter(reader, findings);
  const declared = consumers.map((consumer): Declared => {
    const { username, customId, tags } = consumer;
    const id = ids.get(consumer) ?? '';
    const name = wellFormed(username ?? customId ?? '').slice(0, MAX_NAME_LENGTH);
    const labels = {
      ...(customId === null ? {} : { 'kong-custom-id': wellFormed(customId) }),
      ...(tags.length === 0 ? {} : { 'kong-tags': wellFormed(tags.join(',')) }),
    };
    const list = credentials.of(consumer);
    if (customId !== null) {
      findings.add('warning', placeIn(consumer.place, 'custom_id'), {
        subject: `consumer ${quoted(nameOfConsumer(consumer))}`,
        what: 'is told to back ends by X-Consumer-Custom-Id too, which Postern removes; it became a label',
        instead: 'look at X-Consumer-Id or X-Consumer-Username in the back end',
      });
    }
    return {
      id,
      ...(name.trim() === '' || name === id ? {} : { name }),
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      ...(disabled.has(consumer) ? { enabled: false } : {}),
      ...(list.length === 0 ? {} : { credentials: list }),
    };
  });
  return { declared, ids, holdsSecrets: credentials.holdsSecrets() };
}

/** The consumers that plugins of their own keep out, or may. */
export function consumersKeptOut(
  effective: EffectivePlugins,
  { elsewhere }: ImportOptions,
  findings: FindingLog,
): ReadonlySet<KongConsumer> {
  const keptOut = new Set<KongConsumer>();
  for (const [consumer, plugins] of effective.byConsumer) {
    const subject = `consumer ${quoted(nameOfConsumer(consumer))}`;
    for (const { name, place } of plugins) {
      const kind = kindOfPlugin(name);
      if (kind.kind === 'termination') {
        keptOut.add(consumer);
        findings.add('warning', place, {
          subject,
          what: 'is kept out by "request-termination"; the consumer is disabled, and refused with 401',
        });
      } else if (kind.kind !== 'limit' && kind.kind !== 'bystander' && kind.kind !== 'cors' && !elsewhere.has(name)) {
        keptOut.add(consumer);
        findings.add('error', place, {
          subject,
          what: `has the plugin ${quoted(name)}, which may keep it out and which Postern has not for single consumers: the consumer is disabled`,
          instead: 'do in Envoy what it does, then write "enabled: true" by hand',
        });
      }
    }
  }
  return keptOut;
}

function wellFormed(text: string): string {
  return text.replaceAll(LONE_SURROGATE, '\ufffd');
}
