import { formatPath } from '../../model/document/problem.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import {
  type Warning,
  warningsOfCredential,
  warningsOfEndpoint,
  warningsOfGrant,
  warningsOfPlan,
} from '../warnings.ts';
import type { Change, ChangeOf } from './change.ts';

/** What warnings of changes are found by. */
export interface WarningGround {
  /** Endpoints that the changes leave as they are; those that they make or change need not be here. */
  readonly endpoints: readonly Endpoint[];
  /** Seconds since the epoch. */
  readonly nowSeconds: number;
}

/**
 * What `postern validate` would warn of in what changes write, each a line that names the resource. What a resource was
 * warned of before the change is not said again.
 */
export function findChangeWarnings(changes: readonly Change[], ground: WarningGround): readonly string[] {
  const endpoints = new Map(ground.endpoints.map((endpoint) => [endpoint.id, endpoint]));
  for (const { kind, after } of changes) if (kind === 'endpoint' && after !== null) endpoints.set(after.id, after);
  return changes.flatMap((change) => {
    const { before, after } = change;
    if (after === null) return [];
    const former = before === null ? [] : warningsOf(change.kind, before.resource, endpoints, ground.nowSeconds);
    const known = new Set(former.map(({ message }) => message));
    return warningsOf(change.kind, after, endpoints, ground.nowSeconds)
      .filter(({ message }) => !known.has(message))
      .map(({ path, message }) => `${change.kind} ${change.id}: ${formatPath(path)}: ${message}`);
  });
}

function warningsOf(
  kind: Change['kind'],
  resource: NonNullable<Change['after']>,
  endpoints: ReadonlyMap<string, Endpoint>,
  nowSeconds: number,
): readonly Warning[] {
  switch (kind) {
    case 'endpoint':
      return warningsOfEndpoint(resource as NonNullable<ChangeOf<'endpoint'>['after']>);
    case 'credential':
      return warningsOfCredential(resource as NonNullable<ChangeOf<'credential'>['after']>, nowSeconds);
    case 'grant': {
      const grant = resource as NonNullable<ChangeOf<'grant'>['after']>;
      return warningsOfGrant(grant, endpoints.get(grant.endpointId), nowSeconds);
    }
    case 'plan': {
      const isOpen = (id: string): boolean => endpoints.get(id)?.scenario === 'open';
      return warningsOfPlan(resource as NonNullable<ChangeOf<'plan'>['after']>, isOpen);
    }
    case 'consumer':
    case 'issuer':
    case 'operator':
      return [];
  }
}
