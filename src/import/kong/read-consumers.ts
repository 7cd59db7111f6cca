import { placeIn } from '../../document/problem-log.ts';
import { quoted } from './finding.ts';
import { credentialKinds, type KongConsumer, nameOfConsumer } from './kong-entities.ts';
import { type KongMapping, unknownKeys } from './kong-reader.ts';
import { consumerKeys, foreignCredentials } from './known-keys.ts';
import type { ReadingContext } from './read-configuration.ts';
import { type NestedPlugin, nestedPlugins } from './read-plugins.ts';
import { byName } from './references.ts';

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
  for (const kind of credentialKinds) {
    for (const entity of reader.mappings(root, kind)) ownerOf(entity)?.credentials.push({ kind, entity });
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
    credentials: credentialKinds.flatMap((kind) =>
      reader.mappings(entity, kind).map((credential) => ({ kind, entity: credential })),
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
