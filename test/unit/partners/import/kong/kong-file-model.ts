import { type ModelMatch, type ModelRequest, winnersOf } from './kong-model.ts';

/** Somebody who calls, with what they send. */
export type ModelCaller =
  | { readonly key: string; readonly header: string }
  | { readonly username: string; readonly secret: string }
  | null;

type Entity = Readonly<Record<string, unknown>>;

/** A plugin with what it applies to. */
interface Plugin {
  readonly name: string;
  readonly config: Entity;
  readonly route: Entity | null;
  readonly service: Entity | null;
  readonly consumer: Entity | null;
}

/** Kong refuses the file. */
class Refused extends Error {}

/**
 * Who gets in with a file of Kong, written from Kong's documents without the importer; null for a file that Kong
 * refuses. Where Kong has no order between routes, who gets in by all of them.
 */
export function kongModel(file: Entity): ((asked: ModelRequest, caller: ModelCaller) => boolean) | null {
  try {
    return modelOf(file);
  } catch (error) {
    if (error instanceof Refused) return null;
    throw error;
  }
}

function modelOf(file: Entity): (asked: ModelRequest, caller: ModelCaller) => boolean {
  const services = listIn(file, 'services');
  const consumers = listIn(file, 'consumers');
  const groups = listIn(file, 'consumer_groups');
  const ownerOf = (kind: string, among: readonly Entity[], entity: Entity): Entity | null => {
    const reference = entity[kind] ?? null;
    const found = among.find((each) => [each['name'], each['username'], each['id']].includes(reference)) ?? null;
    if (reference !== null && found === null) throw new Refused();
    return found;
  };
  const routes = [
    ...services.flatMap((service) => listIn(service, 'routes').map((entity) => ({ entity, service }))),
    ...listIn(file, 'routes').map((entity) => ({ entity, service: ownerOf('service', services, entity) })),
  ].map(({ entity, service }): ModelMatch & { readonly entity: Entity; readonly service: Entity | null } => {
    const [hosts, paths, methods] = [textsIn(entity, 'hosts'), textsIn(entity, 'paths'), textsIn(entity, 'methods')];
    if (hosts.length + paths.length + methods.length === 0) throw new Refused();
    return { entity, service, hosts, paths, methods };
  });
  const nested = (parent: Entity, scope: Partial<Plugin>): readonly (readonly [Entity, Partial<Plugin>])[] =>
    listIn(parent, 'plugins').map((entity) => [entity, scope]);
  const members = consumers.flatMap((consumer) =>
    listIn(consumer, 'groups').map((entity) => {
      const group = groups.find(({ name }) => name !== undefined && name === entity['name']);
      if (group === undefined) throw new Refused();
      return { group, consumer };
    }),
  );
  const plugins = [
    ...nested(file, {}),
    ...services.flatMap((service) => nested(service, { service })),
    ...routes.flatMap(({ entity: route }) => nested(route, { route })),
    ...consumers.flatMap((consumer) => nested(consumer, { consumer })),
    ...members.flatMap(({ group, consumer }) => nested(group, { consumer })),
  ].flatMap(([entity, scope]): Plugin[] => {
    const { name, enabled, _config: shared } = entity;
    if (typeof name !== 'string') throw new Refused();
    const common = typeof shared === 'string' ? objectIn(objectIn(file, '_plugin_configs'), shared) : {};
    const plugin = {
      name,
      config: { ...common, ...(entity['config'] as Entity | undefined) },
      service: ownerOf('service', services, entity) ?? scope.service ?? null,
      route:
        ownerOf(
          'route',
          routes.map((route) => route.entity),
          entity,
        ) ??
        scope.route ??
        null,
      consumer: ownerOf('consumer', consumers, entity) ?? scope.consumer ?? null,
    };
    return enabled === false ? [] : [plugin];
  });
  const owned = (list: string): readonly { owner: Entity; entity: Entity }[] => [
    ...consumers.flatMap((owner) => listIn(owner, list).map((entity) => ({ owner, entity }))),
    ...listIn(file, list).map((entity) => {
      const owner = ownerOf('consumer', consumers, entity);
      if (owner === null) throw new Refused();
      return { owner, entity };
    }),
  ];
  const [keys, signers, acls] = [owned('keyauth_credentials'), owned('hmacauth_credentials'), owned('acls')];
  if (consumers.some(({ username, custom_id: id }) => username === undefined && id === undefined)) throw new Refused();
  if (acls.some(({ entity }) => entity['group'] === undefined)) throw new Refused();

  /** kong/runloop/plugins_iterator.lua, lookup_cfg. */
  const effective = (name: string, route: Entity, service: Entity | null, consumer: Entity | null): Plugin | null => {
    for (const [r, s, c] of [
      [route, service, consumer],
      [route, null, consumer],
      [null, service, consumer],
      [route, service, null],
      [null, null, consumer],
      [route, null, null],
      [null, service, null],
      [null, null, null],
    ]) {
      const found = plugins.find((each) => {
        return each.name === name && each.route === r && each.service === s && each.consumer === c;
      });
      if (found !== undefined) return found;
    }
    return null;
  };
  const letsIn = (route: Entity, service: Entity | null, caller: ModelCaller): boolean => {
    const key = effective('key-auth', route, service, null);
    const hmac = effective('hmac-auth', route, service, null);
    let consumer: Entity | null = null;
    if (key !== null) {
      const headers = textsIn(key.config, 'key_names');
      if (caller === null || !('key' in caller)) return false;
      if (!(headers.length === 0 ? ['apikey'] : headers).includes(caller.header)) return false;
      consumer = keys.find(({ entity }) => entity['key'] === caller.key)?.owner ?? null;
      if (consumer === null) return false;
    }
    if (hmac !== null) {
      if (caller === null || !('secret' in caller)) return false;
      const { username, secret } = caller;
      const known = signers.find(({ entity }) => entity['username'] === username && entity['secret'] === secret);
      if (known === undefined) return false;
      consumer = known.owner;
    }
    for (const name of ['request-termination', 'ip-restriction', 'jwt']) {
      if (effective(name, route, service, consumer) !== null) return false;
    }
    const acl = effective('acl', route, service, consumer);
    if (acl === null) return true;
    const mine = acls.filter(({ owner }) => owner === consumer).map(({ entity }) => String(entity['group']));
    if (consumer === null) return false;
    const deny = textsIn(acl.config, 'deny');
    if (deny.length > 0) return !mine.some((group) => deny.includes(group));
    return mine.some((group) => textsIn(acl.config, 'allow').includes(group));
  };
  const served = routes.filter(({ service }) => service?.['enabled'] !== false);
  return (asked, caller) => {
    const winners = winnersOf(served, asked);
    return winners.length > 0 && winners.every(({ entity, service }) => letsIn(entity, service, caller));
  };
}

function listIn(entity: Entity, key: string): readonly Entity[] {
  return (entity[key] as readonly Entity[] | undefined) ?? [];
}

function textsIn(entity: Entity, key: string): readonly string[] {
  return (entity[key] as readonly string[] | undefined) ?? [];
}

function objectIn(entity: Entity, key: string): Entity {
  const found = entity[key] as Entity | undefined;
  if (found === undefined) throw new Refused();
  return found;
}
