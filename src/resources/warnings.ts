import type { DocumentPath } from '../model/document/problem.ts';
import type { Endpoint } from '../model/endpoint.ts';
import type { Grant } from '../model/grant.ts';
import { formerEndOf, type Material } from '../model/material.ts';
import type { Plan } from '../model/plan.ts';

/** What is right in a resource and most probably not meant: where in the declared resource, and why. */
export interface Warning {
  readonly path: DocumentPath;
  readonly message: string;
}

/** Patterns elsewhere, and plain characters here. */
const WILDCARD = /[*{}]|\.\+|\[\^/;

/** Of an endpoint: rules that match nothing that clients send. */
export function warningsOfEndpoint({ match }: Pick<Endpoint, 'match'>): readonly Warning[] {
  const paths = match.paths.flatMap((rule, index) => {
    const [kind, path] = 'prefix' in rule ? ['prefix', rule.prefix] : ['exact', rule.exact];
    if (!WILDCARD.test(path)) return [];
    const advice =
      kind === 'prefix'
        ? 'end the prefix before it: a prefix takes all paths below'
        : 'write a prefix that ends before it';
    const message = `this path has a pattern, and a path is no pattern here: its characters count as themselves; ${advice}`;
    return [{ path: ['match', 'paths', index, kind], message }];
  });
  const methods = match.methods.flatMap((method, index) => {
    if (method === method.toUpperCase()) return [];
    const message = 'this method has lower-case letters, and methods compare exactly: clients send GET, not get';
    return [{ path: ['match', 'methods', index], message }];
  });
  return [...paths, ...methods];
}

/** Of a credential: what has ended. `nowSeconds` are seconds since the epoch. */
export function warningsOfCredential(
  { expiresAt, material }: { readonly expiresAt: number | null; readonly material: Material<unknown> },
  nowSeconds: number,
): readonly Warning[] {
  if (hasEnded(expiresAt, nowSeconds)) {
    return [{ path: ['expiresAt'], message: 'this credential has ended: no caller gets in with it; remove it' }];
  }
  if (!hasEnded(formerEndOf(material), nowSeconds)) return [];
  const [what, key] = material.kind === 'public-key' ? ['key', 'retiringPublicKey'] : ['secret', 'retiringSecret'];
  const message = `the grace period of this ${what} has ended: it works no longer; remove "${key}"`;
  return [{ path: [key, 'expiresAt'], message }];
}

/**
 * Of a grant: that it has ended, or that it decides nothing on its endpoint, where that is known. `nowSeconds` are
 * seconds since the epoch.
 */
export function warningsOfGrant(
  { expiresAt, limits }: Pick<Grant, 'expiresAt' | 'limits'>,
  endpoint: Endpoint | undefined,
  nowSeconds: number,
): readonly Warning[] {
  if (hasEnded(expiresAt, nowSeconds)) {
    const message = 'this grant has ended: it lets no caller in; remove it, or set a later end';
    return [{ path: ['expiresAt'], message }];
  }
  if (endpoint === undefined) return [];
  if (endpoint.scenario === 'open') {
    const message = 'this grant has no effect: its endpoint is open, and its callers are not authenticated';
    return [{ path: ['endpoint'], message }];
  }
  if (endpoint.accessCondition !== 'authenticated' || limits !== null) return [];
  const message =
    'this grant decides nothing: its endpoint lets every authenticated consumer in; for those with a grant alone, set "accessCondition: authenticated-and-authorized" there';
  return [{ path: ['endpoint'], message }];
}

/** Of a plan: that it covers no request of an endpoint that it lists, because that is open. */
export function warningsOfPlan(
  { endpointIds }: Pick<Plan, 'endpointIds'>,
  isOpen: (endpointId: string) => boolean,
): readonly Warning[] {
  return (endpointIds ?? []).flatMap((id, index) => {
    if (!isOpen(id)) return [];
    const message = 'this plan has no effect on this endpoint: it is open, and its callers are not authenticated';
    return [{ path: ['endpoints', index], message }];
  });
}

function hasEnded(expiresAt: number | null, nowSeconds: number): boolean {
  return expiresAt !== null && expiresAt <= nowSeconds;
}
