import type { HttpSignatureOptions } from '../../../model/endpoint.ts';
import type { DerivedComponent } from '../../../model/options/covered-components.ts';
import { queryOf, type SignableRequest } from '../../signing/signable-request.ts';

/** What the addresses of an endpoint begin with. */
export type Scheme = HttpSignatureOptions['scheme'];

const DEFAULT_PORTS: Readonly<Record<Scheme, string>> = { https: ':443', http: ':80' };

/**
 * The value of a component that RFC 9421 §2.2 derives from a request. The scheme is the endpoint's, never what the
 * request says (spec §3.5).
 */
export function derivedValue(request: SignableRequest, name: DerivedComponent, scheme: Scheme): string {
  const { method, path, authority } = request;
  switch (name) {
    case '@method':
      return method;
    case '@target-uri':
      return `${scheme}://${authority}${path}`;
    case '@authority':
      return normalAuthority(authority, scheme);
    case '@scheme':
      return scheme;
    case '@request-target':
      return path;
    case '@path':
      return pathOf(path);
    case '@query':
      return `?${queryOf(path)}`;
  }
}

/**
 * The value of `@target-uri` with the authority in normal form, which means the same and is as right; null where there
 * is no other, and for other components.
 */
export function otherSpelling(
  { path, authority }: SignableRequest,
  name: DerivedComponent,
  scheme: Scheme,
): string | null {
  if (name !== '@target-uri') return null;
  const normal = normalAuthority(authority, scheme);
  return normal === authority ? null : `${scheme}://${normal}${path}`;
}

/** An authority in lower case and without the default port of the scheme (RFC 9421 §2.2.3). */
function normalAuthority(authority: string, scheme: Scheme): string {
  const lower = authority.toLowerCase();
  const port = DEFAULT_PORTS[scheme];
  return lower.endsWith(port) ? lower.slice(0, -port.length) : lower;
}

/** The target without its query; an empty path is `/` (RFC 9421 §2.2.6). */
function pathOf(target: string): string {
  const mark = target.indexOf('?');
  const path = mark === -1 ? target : target.slice(0, mark);
  return path === '' ? '/' : path;
}
