import type { Bytes } from './bytes.ts';
import type { Header } from './headers.ts';
import { PosternProblem } from './problem.ts';

/** A request as it goes over the wire: what is signed is what is sent. */
export interface WireRequest {
  readonly method: string;
  /** Scheme and authority, such as `https://api.example.com`. */
  readonly origin: string;
  /** Path and query, byte for byte. */
  readonly target: string;
  readonly headers: readonly Header[];
  /** Empty for none. */
  readonly body: Bytes;
}

/** Where a request goes. */
export type Address = Pick<WireRequest, 'origin' | 'target'>;

const ADDRESS = /^(https?:\/\/[^/?#]+)([^#]*)/i;
const VISIBLE = /^\/[\x21-\x7e]*$/;

/**
 * Cuts a URL into origin and target without changing a byte of either: an empty path becomes `/`, a fragment is
 * dropped. Refuses with `TARGET_NOT_SIGNABLE` what is no absolute http(s) URL or holds bytes outside 0x21–0x7E.
 */
export function splitUrl(url: string): Address {
  const [, origin, rest = ''] = ADDRESS.exec(url) ?? [];
  if (origin === undefined) throw new PosternProblem('TARGET_NOT_SIGNABLE', 'the URL is not an absolute http(s) URL');
  const target = rest.startsWith('/') ? rest : `/${rest}`;
  if (!VISIBLE.test(target)) {
    throw new PosternProblem(
      'TARGET_NOT_SIGNABLE',
      'path and query may hold visible ASCII characters only; percent-encode the others',
    );
  }
  return { origin, target };
}

/** The authority as it is sent: without a user, and with its port unless that is the scheme's own. */
export function authorityOf(origin: string): string {
  const [scheme = '', authority = ''] = origin.split('://');
  return withoutDefaultPort(scheme, authority.slice(authority.lastIndexOf('@') + 1));
}

/** An authority without the port of the scheme, with which `origin` begins. */
export function withoutDefaultPort(origin: string, authority: string): string {
  return authority.replace(/^https/i.test(origin) ? /:443$/ : /:80$/, '');
}

/** The query of a target without its `?`, and the path before it. */
export function splitTarget(target: string): { readonly path: string; readonly query: string } {
  const mark = target.indexOf('?');
  return mark === -1 ? { path: target, query: '' } : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}
