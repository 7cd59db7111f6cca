import type { HttpSignatureOptions } from '../../../model/endpoint.ts';
import type { SignableRequest } from '../../signing/signable-request.ts';
import type { Component } from './components.ts';

/** The field that binds a body to its signature (RFC 9530), lower case. */
export const DIGEST_FIELD = 'content-digest';

/**
 * What a signature leaves open that it has to cover on an endpoint (spec §3.5), as components that would do; null for
 * nothing. Only components without parameters count, and no parameter of the query stands for the query.
 */
export function findUncovered(
  request: SignableRequest,
  components: readonly Component[],
  { coverAlso }: Pick<HttpSignatureOptions, 'coverAlso'>,
): string | null {
  const covered = new Set(components.map(plainName));
  const hasAddress = covered.has('@target-uri');
  if (!covered.has('@method')) return '@method';
  if (!hasAddress && !covered.has('@authority')) return '@authority (or @target-uri)';
  if (!hasAddress && !covered.has('@request-target')) {
    if (!covered.has('@path')) return '@path (or @target-uri, or @request-target)';
    if (!covered.has('@query') && request.path.includes('?')) return '@query (or @target-uri, or @request-target)';
  }
  if (request.body.length > 0 && !covered.has(DIGEST_FIELD)) return `${DIGEST_FIELD}, as there is a body`;
  return coverAlso.find((name) => !covered.has(name)) ?? null;
}

/** The components that the signature of a request has to cover on an endpoint, as most libraries know them. */
export function componentsToCover(
  request: Pick<SignableRequest, 'body'>,
  { coverAlso }: Pick<HttpSignatureOptions, 'coverAlso'>,
): readonly string[] {
  const digest = request.body.length > 0 ? [DIGEST_FIELD] : [];
  return [...new Set([...USUAL_COMPONENTS, ...digest, ...coverAlso])];
}

const USUAL_COMPONENTS = ['@method', '@authority', '@path', '@query'];

function plainName(component: Component): string | null {
  if (component.kind === 'derived') return component.name;
  return component.kind === 'field' && component.form === 'plain' ? component.name : null;
}
