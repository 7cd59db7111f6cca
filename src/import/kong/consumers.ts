import { ID_PATTERN } from '../../document/fields.ts';
import { replaceUnseen } from '../../unseen.ts';
import { quoted } from '../../document/problem.ts';
import type { ProblemLog } from '../../document/problem-log.ts';
import { MAX_NAME_CHARACTERS } from '../../model/bounds.ts';
import type { Declared } from '../../resources/declared.ts';
import { credentialImporter } from './credentials.ts';
import type { FindingLog } from './finding.ts';
import type { ImportContext } from './import-context.ts';
import { type KongConsumer, nameOfConsumer } from './kong-entities.ts';
import { commonKeys, finderOf, type KongMapping } from './kong-mapping.ts';
import { importedMethods, kindOfPlugin } from './plugin-kinds.ts';
import { type EffectivePlugins, type NestedPlugin, nestedPlugins } from './plugins.ts';
import { uniqueIds } from './unique-ids.ts';

/** The keys of a consumer, with what can be nested in it. */
const consumerKeys: ReadonlySet<string> = new Set([
  ...commonKeys,
  ...['username', 'custom_id', 'plugins', 'groups', 'acls'],
  ...importedMethods.map(({ credential }) => credential.list),
]);

/** Credentials that no authentication method of Postern takes, with their plugins. */
export const foreignCredentials: Readonly<Record<string, string>> = {
  basicauth_credentials: 'basic-auth',
  jwt_secrets: 'jwt',
  mtls_auth_credentials: 'mtls-auth',
  keyauth_enc_credentials: 'key-auth-enc',
  oauth2_tokens: 'oauth2',
};

interface ReadConsumers {
  readonly consumers: readonly KongConsumer[];
  readonly consumerPlugins: readonly NestedPlugin[];
  /** The name of a consumer group that is given by name or id. */
  readonly nameOfGroup: (reference: string) => string;
}

/**
 * Consumers with their groups and credentials, nested or at the top of the file, and the plugins of consumers and
 * groups.
 */
export function readConsumers(root: KongMapping, context: ImportContext): ReadConsumers {
  const { problems } = context;
  const consumerPlugins: NestedPlugin[] = [];
  const groups = root.mappings('consumer_groups').map((entity) => ({
    entity,
    id: entity.text('id'),
    name: entity.text('name'),
  }));
  /** Groups are referred to by name or id: members and plugins have to meet. */
  const names = new Map(groups.flatMap(({ id, name }) => (id === null || name === null ? [] : [[id, name]])));
  const nameOfGroup = (reference: string): string => names.get(reference) ?? reference;

  const consumers = root.mappings('consumers').map((entity) => {
    const consumer = readConsumer(entity, nameOfGroup, context);
    consumerPlugins.push(...nestedPlugins(entity, { consumer }));
    return consumer;
  });
  const finder = finderOf('consumer', consumers, ({ id, username }) => [id, username], problems);
  const ownerOf = (entity: KongMapping): KongConsumer | null => {
    if (!entity.has('consumer')) problems.report(entity.place, '"consumer" is missing; this needs it');
    return finder.findIn(entity, null);
  };
  for (const kind of importedMethods) {
    for (const entity of root.mappings(kind.credential.list)) ownerOf(entity)?.credentials.push({ kind, entity });
  }
  for (const entity of root.mappings('acls')) {
    const group = groupOf(entity, problems);
    if (group !== null) ownerOf(entity)?.groups.add(group);
  }
  for (const entity of root.mappings('consumer_group_consumers')) {
    const group = entity.reference('consumer_group');
    if (group !== null) ownerOf(entity)?.consumerGroups.add(nameOfGroup(group));
  }
  for (const entity of root.mappings('consumer_group_plugins')) {
    const group = entity.reference('consumer_group');
    if (group !== null) consumerPlugins.push({ entity, nesting: { group: nameOfGroup(group) }, isFilterChain: false });
  }
  for (const { entity, id, name } of groups) {
    const group = name ?? id;
    if (group === null) continue;
    for (const { reference, place } of entity.references('consumers')) {
      finder.find(reference, place)?.consumerGroups.add(group);
    }
    consumerPlugins.push(...nestedPlugins(entity, { group }));
  }
  return { consumers, consumerPlugins, nameOfGroup };
}

function readConsumer(
  entity: KongMapping,
  nameOfGroup: ReadConsumers['nameOfGroup'],
  { problems, findings }: ImportContext,
): KongConsumer {
  const names = { id: entity.text('id'), username: entity.text('username'), customId: entity.text('custom_id') };
  const report = findings.about(entity.place, `consumer ${quoted(nameOfConsumer(names))}`);
  if (names.username === null && names.customId === null) {
    problems.report(entity.place, 'a consumer needs "username" or "custom_id"');
  }
  for (const key of entity.unknownKeys(consumerKeys)) {
    const plugin = Object.hasOwn(foreignCredentials, key) ? foreignCredentials[key] : undefined;
    const raw = entity.raw[key];
    if (Array.isArray(raw) && raw.length === 0) continue;
    if (plugin === undefined) {
      report('warning', [key], { what: `has ${quoted(key)}, which the importer does not know and left out` });
    } else {
      report('error', [key], {
        what: `has credentials of ${plugin}, which Postern cannot import`,
        instead: 'issue a credential of another method: postern credential issue',
      });
    }
  }
  return {
    ...names,
    place: entity.place,
    report,
    tags: entity.texts('tags'),
    groups: new Set(entity.mappings('acls').flatMap((acl) => groupOf(acl, problems) ?? [])),
    consumerGroups: new Set(entity.references('groups').map(({ reference }) => nameOfGroup(reference))),
    credentials: importedMethods.flatMap((kind) =>
      entity.mappings(kind.credential.list).map((credential) => ({ kind, entity: credential })),
    ),
  };
}

function groupOf(entity: KongMapping, problems: ProblemLog): string | null {
  const group = entity.text('group');
  if (group === null) problems.report(entity.place, '"group" is missing; an entry of "acls" needs it');
  return group;
}

interface ImportedConsumers {
  readonly declared: readonly Declared[];
  readonly holdsSecrets: boolean;
}

/**
 * Ids of consumers: Kong's own where the file has it, because back ends know it from X-Consumer-Id; else made of the
 * name.
 */
export function consumerIds(consumers: readonly KongConsumer[]): ReadonlyMap<KongConsumer, string> {
  const named = consumers.map(({ id, username, customId }) => {
    const identity = JSON.stringify([username, customId, id]);
    return { name: id !== null && ID_PATTERN.test(id) ? id : (username ?? customId ?? id ?? ''), identity };
  });
  const ids = uniqueIds(named);
  return new Map(consumers.map((consumer, index) => [consumer, ids[index] ?? '']));
}

/** Imports consumers. `disabled` are those of which something that kept them out could not be imported. */
export function importConsumers(
  consumers: readonly KongConsumer[],
  ids: ReadonlyMap<KongConsumer, string>,
  disabled: ReadonlySet<KongConsumer>,
  findings: FindingLog,
): ImportedConsumers {
  const credentials = credentialImporter(findings);
  const declared = consumers.map((consumer): Declared => {
    const { username, customId, tags } = consumer;
    const id = ids.get(consumer) ?? '';
    const name = replaceUnseen(username ?? customId ?? '').slice(0, MAX_NAME_CHARACTERS);
    const labels = {
      ...(customId === null ? {} : { 'kong-custom-id': replaceUnseen(customId) }),
      ...(tags.length === 0 ? {} : { 'kong-tags': replaceUnseen(tags.join(',')) }),
    };
    if ([username, customId, ...tags].some((text) => text !== null && replaceUnseen(text) !== text)) {
      consumer.report('warning', [], {
        what: 'has characters that nobody sees in "username", "custom_id" or "tags"; each became U+FFFD',
      });
    }
    const list = credentials.of(consumer);
    if (customId !== null) {
      consumer.report('warning', ['custom_id'], {
        what: 'is sent to back ends as X-Consumer-Custom-Id too, which Postern removes; it became a label',
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
  return { declared, holdsSecrets: credentials.holdsSecrets() };
}

/** What a plugin of one consumer can be without keeping it out. */
const harmlessKinds = ['limit', 'bystander', 'cors'];

/** The consumers that plugins of their own keep out, or may. */
export function consumersKeptOut(
  { byConsumer }: EffectivePlugins,
  { options, findings }: ImportContext,
): ReadonlySet<KongConsumer> {
  const keptOut = new Set<KongConsumer>();
  for (const [consumer, plugins] of byConsumer) {
    for (const { name, place } of plugins) {
      const { kind } = kindOfPlugin(name);
      const report = findings.about(place, `consumer ${quoted(nameOfConsumer(consumer))}`);
      if (kind === 'termination') {
        report('warning', [], {
          what: 'is kept out by "request-termination"; the consumer is disabled, and refused with 401',
        });
      } else if (harmlessKinds.includes(kind) || options.elsewhere.has(name)) {
        continue;
      } else {
        report('error', [], {
          what: `has the plugin ${quoted(name)}, which may keep it out and which Postern does not support for single consumers: the consumer is disabled`,
          instead: 'do in Envoy what it does, then write "enabled: true" by hand',
        });
      }
      keptOut.add(consumer);
    }
  }
  return keptOut;
}
