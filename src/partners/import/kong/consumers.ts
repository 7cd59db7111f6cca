import { ID_PATTERN } from '../../../model/document/fields.ts';
import { replaceUnseen } from '../../../base/text/unseen.ts';
import { quoted } from '../../../model/document/problem.ts';
import { type Place, placeIn, type ProblemLog } from '../../../model/document/problem-log.ts';
import { MAX_LABEL_CHARACTERS, MAX_NAME_CHARACTERS } from '../../../model/bounds.ts';
import type { ReportDifference } from '../../../check/methods/kong.ts';
import type { Declared } from '../../../resources/declared.ts';
import type { CredentialImporter } from './credentials.ts';
import type { ImportContext } from './import-context.ts';
import { type KongConsumer, nameOfConsumer } from './kong-entities.ts';
import { commonKeys, finderOf, type KongMapping } from './kong-mapping.ts';
import { importedMethods, kindOfPlugin } from './plugin-kinds.ts';
import { type EffectivePlugins, type NestedPlugin, nestedPlugins } from './plugins.ts';
import { type AddressLists, IP_RESTRICTION } from './address-lists.ts';
import { uniqueIds } from './unique-ids.ts';
import { isDoubtful } from './doubts.ts';

/** Credentials that no authentication method of Postern takes, with their plugins. */
export const foreignCredentials: Readonly<Record<string, string>> = {
  basicauth_credentials: 'basic-auth',
  mtls_auth_credentials: 'mtls-auth',
  keyauth_enc_credentials: 'key-auth-enc',
  oauth2_tokens: 'oauth2',
};

/** The keys of a consumer, with what can be nested in it. */
const consumerKeys: ReadonlySet<string> = new Set([
  ...commonKeys,
  ...['username', 'custom_id', 'plugins', 'groups', 'acls'],
  ...importedMethods.map(({ credential }) => credential.list),
  ...Object.keys(foreignCredentials),
]);

interface ReadConsumers {
  readonly consumers: readonly KongConsumer[];
  readonly consumerPlugins: readonly NestedPlugin[];
  /** The name of a consumer group that is given by name or id; null when there is none. */
  readonly nameOfGroup: (reference: string) => string | null;
  /** Where a consumer group may hold a restriction, or members, that could not be read; null for nowhere. */
  readonly doubtfulGroup: Place | null;
}

/**
 * Consumers with their groups and credentials, nested or at the top of the file, and the plugins of consumers and
 * groups.
 */
export function readConsumers(root: KongMapping, context: ImportContext): ReadConsumers {
  const { problems, findings } = context;
  const consumerPlugins: NestedPlugin[] = [];
  const groups = root.mappings('consumer_groups').map((entity) => ({
    entity,
    id: entity.text('id'),
    name: entity.text('name'),
  }));
  /** Groups are referred to by name or id: members and plugins have to meet. */
  const names = new Map(groups.flatMap(({ id, name }) => (id === null ? [] : [[id, name ?? id]])));
  for (const { name } of groups) if (name !== null) names.set(name, name);
  const nameOfGroup = (reference: string): string | null => names.get(reference) ?? null;
  const doubtful = groups.filter(({ entity, name }) =>
    isDoubtful(entity, findings.about(entity.place, `consumer group ${quoted(name ?? '')}`), {
      known: groupKeys,
      decisive: ['id', 'name', 'consumers'],
      consequence: 'every endpoint refuses everything',
    }),
  );

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
    const owner = ownerOf(entity);
    if (owner !== null) addGroup(owner, entity, problems);
  }
  /** The group that an entry of a list refers to. */
  const groupIn = (entity: KongMapping): string | null => {
    const reference = entity.reference('consumer_group');
    const group = reference === null ? null : nameOfGroup(reference);
    if (reference === null) problems.report(entity.place, '"consumer_group" is missing; this needs it');
    else if (group === null) {
      const place = placeIn(entity.place, 'consumer_group');
      problems.report(place, `there is no consumer group ${quoted(reference)} in this file`);
    }
    return group;
  };
  for (const entity of root.mappings('consumer_group_consumers')) {
    const group = groupIn(entity);
    if (group !== null) ownerOf(entity)?.consumerGroups.add(group);
  }
  for (const entity of root.mappings('consumer_group_plugins')) {
    const group = groupIn(entity);
    if (group !== null) consumerPlugins.push({ entity, nesting: { group }, isFilterChain: false });
  }
  for (const { entity, id, name } of groups) {
    const group = name ?? id;
    if (group === null) continue;
    for (const { reference, place } of entity.references('consumers')) {
      finder.find(reference, place)?.consumerGroups.add(group);
    }
    consumerPlugins.push(...nestedPlugins(entity, { group }));
  }
  return { consumers, consumerPlugins, nameOfGroup, doubtfulGroup: doubtful[0]?.entity.place ?? null };
}

/** The keys of a consumer group. */
const groupKeys: ReadonlySet<string> = new Set([...commonKeys, 'name', 'plugins', 'consumers']);
/** The keys of an entry of `acls`. */
const aclKeys: ReadonlySet<string> = new Set([...commonKeys, 'group', 'consumer']);

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
  for (const [key, plugin] of Object.entries(foreignCredentials)) {
    if (!entity.has(key) || entity.items(key).length === 0) continue;
    report('error', [key], {
      what: `has credentials of ${plugin}, which Postern cannot import`,
      instead: 'issue a credential of another method: postern credential issue',
    });
  }
  const groups = entity.references('groups').map(({ reference }) => nameOfGroup(reference));
  if (groups.includes(null)) {
    report('error', ['groups'], {
      what: 'is in a consumer group that is not in this file, and may be kept out by it: the consumer is disabled',
      instead: 'dump the whole configuration, with its consumer groups',
    });
  }
  const hasDoubts = isDoubtful(entity, report, {
    known: consumerKeys,
    decisive: ['id', 'username', 'custom_id', 'tags', 'groups', 'acls'],
    consequence: 'the consumer is disabled',
  });
  const consumer: KongConsumer = {
    ...names,
    place: entity.place,
    report,
    tags: entity.texts('tags'),
    groups: new Set(),
    consumerGroups: new Set(groups.filter((group) => group !== null)),
    credentials: importedMethods.flatMap((kind) =>
      entity.mappings(kind.credential.list).map((credential) => ({ kind, entity: credential })),
    ),
    isDoubtful: hasDoubts || groups.includes(null),
  };
  for (const acl of entity.mappings('acls')) addGroup(consumer, acl, problems);
  return consumer;
}

/** Adds the group of an entry of `acls`. */
function addGroup(consumer: KongConsumer, entity: KongMapping, problems: ProblemLog): void {
  const group = entity.text('group');
  if (group === null) problems.report(entity.place, '"group" is missing; an entry of "acls" needs it');
  else consumer.groups.add(group);
  const path = entity.place.path.slice(consumer.place.path.length);
  const isNested = entity.place.path.length > consumer.place.path.length + 1;
  const report: ReportDifference = (level, steps, words) => {
    consumer.report(level, isNested ? [...path, ...steps] : [], words);
  };
  const consequence = 'the consumer is disabled';
  if (isDoubtful(entity, report, { known: aclKeys, decisive: ['group'], consequence })) consumer.isDoubtful = true;
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

/** What keeps consumers out. */
export interface Restrictions {
  /** Those of which something that kept them out could not be imported. */
  readonly disabled: ReadonlySet<KongConsumer>;
  readonly addressLists: AddressLists;
}

/** Imports consumers. */
export function importConsumers(
  consumers: readonly KongConsumer[],
  ids: ReadonlyMap<KongConsumer, string>,
  { disabled, addressLists }: Restrictions,
  credentials: CredentialImporter,
): ImportedConsumers {
  const declared = consumers.map((consumer): Declared => {
    const { username, customId, tags } = consumer;
    const id = ids.get(consumer) ?? '';
    const name = replaceUnseen(username ?? customId ?? '').slice(0, MAX_NAME_CHARACTERS);
    const labels: Record<string, string> = {};
    for (const [label, key, text] of [
      ['kong-custom-id', 'custom_id', customId],
      ['kong-tags', 'tags', tags.length === 0 ? null : tags.join(',')],
    ] as const) {
      if (text === null) continue;
      if (text.length <= MAX_LABEL_CHARACTERS) labels[label] = replaceUnseen(text);
      else {
        consumer.report('warning', [key], {
          what: `has more in "${key}" than the ${String(MAX_LABEL_CHARACTERS)} characters of a label: it was left out`,
        });
      }
    }
    if ([username, customId, ...tags].some((text) => text !== null && replaceUnseen(text) !== text)) {
      consumer.report('warning', [], {
        what: 'has characters that nobody sees in "username", "custom_id" or "tags"; each became U+FFFD',
      });
    }
    const list = credentials.of(consumer);
    const allowFrom = addressLists.get(consumer);
    if (customId !== null) {
      consumer.report('warning', ['custom_id'], {
        what: `is sent to back ends as X-Consumer-Custom-Id too, which Postern removes${'kong-custom-id' in labels ? '; it became a label' : ''}`,
        instead: 'look at X-Consumer-Id or X-Consumer-Username in the back end',
      });
    }
    return {
      id,
      ...(name.trim() === '' || name === id ? {} : { name }),
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      ...(disabled.has(consumer) ? { enabled: false } : {}),
      ...(allowFrom === undefined ? {} : { allowFrom }),
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
  addressLists: AddressLists,
  { options, findings }: ImportContext,
): ReadonlySet<KongConsumer> {
  const keptOut = new Set<KongConsumer>();
  for (const [consumer, plugins] of byConsumer) {
    for (const { name, place, isDoubtful: isReported } of plugins) {
      if (isReported) {
        keptOut.add(consumer);
        continue;
      }
      const { kind } = kindOfPlugin(name);
      const report = findings.about(place, `consumer ${quoted(nameOfConsumer(consumer))}`);
      if (kind === 'termination') {
        report('warning', [], {
          what: 'is kept out by "request-termination"; the consumer is disabled, and refused with 401',
        });
      } else if (harmlessKinds.includes(kind) || options.elsewhere.has(name)) {
        continue;
      } else if (name === IP_RESTRICTION) {
        // Reported where the list was read.
        if (addressLists.has(consumer)) continue;
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
