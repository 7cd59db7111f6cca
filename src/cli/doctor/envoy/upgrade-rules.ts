import { type Finding, findingsAbout } from '../../../base/finding.ts';
import { flagIn, listIn, textIn, valueIn } from '../../../model/document/json.ts';
import type { HttpManager, Route, Upgrade } from './envoy-config.ts';
import { inspectExtAuthz } from './ext-authz-rules.ts';
import {
  findPosternChain,
  isBefore,
  isOff,
  leadsOn,
  overrideOf,
  type PosternChain,
  readGuard,
} from './filter-chain.ts';

/**
 * Upgrades, such as WebSockets. One with filters of its own skips the whole chain of the listener, Postern included
 * (Envoy's `upgrade_configs`).
 */
export function inspectUpgrades(chain: PosternChain): readonly Finding[] {
  return typesThatAreOn(chain.manager).flatMap((type) => {
    const own = chain.manager.upgrades.find((upgrade) => isOfType(upgrade, type));
    return own === undefined || own.filters.length === 0
      ? inspectSameFilters(chain, type)
      : inspectOwnFilters(chain, { ...own, type });
  });
}

function isOfType({ type }: Pick<Upgrade, 'type'>, other: string): boolean {
  return type.toLowerCase() === other.toLowerCase();
}

/** Types that a request can use: on for the listener and not off on every route, or on for a route. */
function typesThatAreOn({ upgrades, routes }: HttpManager): readonly string[] {
  const ofRoutes = routes.filter(leadsOn).map(({ route }) =>
    listIn(route, 'route', 'upgrade_configs').map((upgrade) => ({
      type: textIn(upgrade, 'upgrade_type') ?? '',
      isOn: valueIn(upgrade, 'enabled') !== false,
    })),
  );
  const all = [...upgrades, ...ofRoutes.flat()].map(({ type }) => type.toLowerCase());
  return [...new Set(all)].filter((type) => {
    const isOn = upgrades.some((upgrade) => isOfType(upgrade, type) && upgrade.isOn);
    if (routes.length === 0) return isOn;
    return ofRoutes.some((route) => route.find((upgrade) => isOfType(upgrade, type))?.isOn ?? isOn);
  });
}

const ADVICE =
  'leave upgrade_configs out, or give it the filters of the listener without the buffer, in the same order';

function inspectSameFilters({ manager, buffer }: PosternChain, type: string): readonly Finding[] {
  const isHeld =
    buffer !== null &&
    (manager.routes.length === 0
      ? !buffer.isDisabled
      : manager.routes.some((route) => leadsOn(route) && !isOff(route, buffer)));
  const found = findingsAbout(`${manager.name}: upgrades`);
  found.warnIf(isHeld, {
    message: `upgrades to ${type} are on, and the buffer filter holds each up until request_timeout ends it with 408`,
    advice: ADVICE,
  });
  found.warnIf(!isHeld, tunnel(type));
  return found.all;
}

function inspectOwnFilters(chain: PosternChain, { type, filters }: Upgrade): readonly Finding[] {
  const { manager, config } = chain;
  const name = `${manager.name}: upgrades`;
  const own: HttpManager = { ...manager, name, filters: filters.filter(({ isDisabled }) => !isDisabled) };
  const found = findingsAbout(name);
  const asked = findPosternChain(config, own);
  const guard = asked === null ? guardOf(chain, own) : asked.guard;
  const isGuarded =
    guard !== null && !readGuard(guard).passesMore && (asked === null || isBefore(asked, asked.extAuthz, guard));
  found.faultIf(asked === null && !isGuarded, {
    message: `the filters of upgrades to ${type} leave ext_authz and the guard out: such a request reaches the back end without credentials, with any identity header`,
    advice: ADVICE,
  });
  found.warnIf(asked === null && isGuarded, {
    message: `the filters of upgrades to ${type} leave ext_authz out: the guard refuses each with 503`,
    advice: ADVICE,
  });
  found.faultIf(asked !== null && !isGuarded, {
    message: `the filters of upgrades to ${type} have no guard after ext_authz: a request that Postern did not decide can reach the back end`,
    advice: ADVICE,
  });
  if (asked === null) return found.all;
  found.warnIf(asked.buffer !== null, {
    message: `the filters of upgrades to ${type} have a buffer, which holds each up until request_timeout ends it with 408`,
    advice: 'leave the buffer out of these filters',
  });
  const held = type === 'websocket' || asked.buffer !== null ? [] : heldRoutes(asked, type);
  found.warnIf(held.length > 0, {
    message: `upgrades to ${type} are on for ${held.join(', ')}, where ext_authz waits for a body before it asks Postern: request_timeout ends each with 408`,
    advice: 'set check_settings: { disable_request_body_buffering: true } on these routes',
  });
  found.warnIf(isGuarded && asked.buffer === null, tunnel(type));
  return [...found.all, ...inspectExtAuthz(asked)];
}

/** Routes of an upgrade on which ext_authz waits for a body; only for WebSockets does it know that there is none. */
function heldRoutes({ manager, extAuthz }: PosternChain, type: string): readonly string[] {
  if (!('with_request_body' in extAuthz.settings)) return [];
  const isOn = (route: Route): boolean => {
    const own = listIn(route.route, 'route', 'upgrade_configs').find(
      (upgrade) => textIn(upgrade, 'upgrade_type')?.toLowerCase() === type,
    );
    if (own !== undefined) return valueIn(own, 'enabled') !== false;
    return manager.upgrades.some((upgrade) => isOfType(upgrade, type) && upgrade.isOn);
  };
  return manager.routes
    .filter((route) => leadsOn(route) && isOn(route) && !isOff(route, extAuthz))
    .filter((route) => !flagIn(overrideOf(route, extAuthz), 'check_settings', 'disable_request_body_buffering'))
    .map(({ name }) => name);
}

/** The guard among the filters of an upgrade that do not ask Postern. */
function guardOf({ guard }: PosternChain, { filters }: HttpManager): HttpManager['filters'][number] | null {
  if (guard === null) return null;
  const same = JSON.stringify(guard.settings);
  return filters.find(({ settings }) => JSON.stringify(settings) === same) ?? null;
}

function tunnel(type: string): { readonly message: string; readonly advice: string } {
  return {
    message: `upgrades to ${type} are on: Postern decides about the first request only, what goes through the connection afterwards is not checked`,
    advice: 'use only open, key and oauth2 endpoints there; endpoints that verify signatures refuse upgrades',
  };
}
