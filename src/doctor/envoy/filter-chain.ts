import type { EnvoyConfig, HttpFilter, HttpManager } from './envoy-config.ts';
import { BODY_STATE } from './guard.ts';
import { listIn, textIn } from './json-view.ts';

/** The filters that make Postern safe, found in one chain; null for one that is not there. */
export interface PosternChain {
  readonly config: EnvoyConfig;
  readonly manager: HttpManager;
  /** The first of `checks`. */
  readonly extAuthz: HttpFilter;
  /** Every ext_authz filter that asks over gRPC: Envoy Gateway makes one for each policy, and routes choose. */
  readonly checks: readonly HttpFilter[];
  readonly buffer: HttpFilter | null;
  readonly unwrap: HttpFilter | null;
  readonly guard: HttpFilter | null;
}

/** The chain of a connection manager that asks an external authorization service over gRPC; null when it asks none. */
export function findPosternChain(config: EnvoyConfig, manager: HttpManager): PosternChain | null {
  const checks = manager.filters.filter(({ type, settings }) => type === 'ExtAuthz' && 'grpc_service' in settings);
  const [extAuthz] = checks;
  if (extAuthz === undefined) return null;
  return {
    config,
    manager,
    extAuthz,
    checks,
    buffer: manager.filters.find(({ type }) => type === 'Buffer') ?? null,
    unwrap: manager.filters.find(({ type, settings }) => type === 'Lua' && mentionsBodyState(settings)) ?? null,
    guard: manager.filters.find((filter) => isGuard(filter)) ?? null,
  };
}

/** Whether one filter stands before another in the chain. */
export function isBefore({ manager }: PosternChain, first: HttpFilter, second: HttpFilter): boolean {
  return manager.filters.indexOf(first) < manager.filters.indexOf(second);
}

function isGuard({ type, settings }: HttpFilter): boolean {
  return type === 'RBAC' && mentionsBodyState(settings);
}

function mentionsBodyState(settings: unknown): boolean {
  return JSON.stringify(settings).includes(BODY_STATE);
}

/** The name of the cluster that Postern's gRPC listener stands behind; null when Envoy calls it another way. */
export function posternCluster({ extAuthz }: PosternChain): string | null {
  return textIn(extAuthz.settings, 'grpc_service', 'envoy_grpc', 'cluster_name');
}

/** The keys of what a list of matchers of local replies lacks: those without a filter rewrite Postern's answers too. */
export function mappersWithoutFilter({ manager }: PosternChain): number {
  return listIn(manager.settings, 'local_reply_config', 'mappers').filter((mapper) => !('filter' in mapper)).length;
}
