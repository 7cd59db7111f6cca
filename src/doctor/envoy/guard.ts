import type { HttpFilter } from './envoy-config.ts';
import { type JsonObject, listIn, objectIn, textIn, valueIn } from './json-view.ts';

/** The metadata that says how a body goes on: Postern and the unwrap script write it, the guard looks at it. */
export const BODY_STATE = 'postern.body';

const DECIDED: readonly string[] = ['original', 'replaced'];

/** What a guard lets pass. */
export interface GuardPolicies {
  /** Whether all that Postern decided passes: bodies as they came, and those that were replaced. */
  readonly passesDecided: boolean;
  /** Names of clusters to which everything passes. */
  readonly clusters: readonly string[];
  /** Whether anything else passes. */
  readonly passesMore: boolean;
}

/** Reads an RBAC filter as a guard. What cannot be read counts as letting more pass. */
export function readGuard({ settings }: HttpFilter): GuardPolicies {
  const policies = Object.values(objectIn(settings, 'rules', 'policies')).map((policy) => objectIn(policy));
  const clusters = policies.map((policy) => clusterOf(policy));
  const others = policies.filter((_, index) => clusters[index] === null);
  const isAllow = (textIn(settings, 'rules', 'action') ?? 'ALLOW') === 'ALLOW';
  return {
    passesDecided:
      others.some(passesDecided) && DECIDED.every((state) => JSON.stringify(others).includes(`"${state}"`)),
    clusters: clusters.filter((name) => name !== null),
    passesMore: !isAllow || !('rules' in settings) || !others.every(passesDecided),
  };
}

function passesDecided(policy: JsonObject): boolean {
  const permissions = listIn(policy, 'permissions');
  return permissions.length > 0 && permissions.every(isOfDecision);
}

/** Whether a permission is met only by what Postern decided. */
function isOfDecision(permission: JsonObject): boolean {
  const either = listIn(permission, 'or_rules', 'rules');
  if (either.length > 0) return either.every(isOfDecision);
  if (listIn(permission, 'and_rules', 'rules').some(isOfDecision)) return true;
  const sourced = objectIn(permission, 'sourced_metadata');
  const isOfRequest = (textIn(sourced, 'metadata_source') ?? 'DYNAMIC') === 'DYNAMIC';
  const matcher = 'metadata' in permission ? objectIn(permission, 'metadata') : objectIn(sourced, 'metadata_matcher');
  const path = listIn(matcher, 'path').map((step) => textIn(step, 'key'));
  return (
    isOfRequest &&
    textIn(matcher, 'filter') === 'envoy.filters.http.ext_authz' &&
    path.length === 1 &&
    path[0] === BODY_STATE &&
    valueIn(matcher, 'invert') !== true &&
    isDecided(objectIn(matcher, 'value'))
  );
}

function isDecided(value: JsonObject): boolean {
  const either = listIn(value, 'or_match', 'value_matchers');
  if (either.length > 0) return either.every(isDecided);
  return DECIDED.includes(textIn(value, 'string_match', 'exact') ?? '');
}

/** The cluster of a policy with the condition `xds.cluster_name == "…"`; null for any other. */
function clusterOf(policy: JsonObject): string | null {
  const call = objectIn(policy, 'condition', 'call_expr');
  const [name, text] = listIn(call, 'args');
  const isClusterName =
    textIn(call, 'function') === '_==_' &&
    textIn(name, 'select_expr', 'operand', 'ident_expr', 'name') === 'xds' &&
    textIn(name, 'select_expr', 'field') === 'cluster_name';
  return isClusterName ? textIn(text, 'const_expr', 'string_value') : null;
}
