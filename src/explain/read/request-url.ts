/** The parts of a URL that make a request, one character a byte. */
export interface RequestUrl {
  /** The authority as `Host` shows it, without the port that the scheme has anyway. */
  readonly authority: string;
  /** Path and query, as written; `/` for no path. */
  readonly target: string;
  /** `name:password` before the host; null for none. */
  readonly user: string | null;
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: ':80', https: ':443' };
const URL_PARTS = /^(?:([A-Za-z][A-Za-z0-9+.-]*):\/\/)?([^/?#]*)([^#]*)/;

/** Splits a URL, with or without its scheme; null when it has no host. Nothing is decoded or normalised. */
export function splitUrl(url: string): RequestUrl | null {
  const [, scheme = 'http', userAndHost = '', rest = ''] = URL_PARTS.exec(url) ?? [];
  const mark = userAndHost.lastIndexOf('@');
  const host = userAndHost.slice(mark + 1);
  if (host === '') return null;
  const port = DEFAULT_PORTS[scheme.toLowerCase()];
  return {
    authority: port !== undefined && host.endsWith(port) ? host.slice(0, -port.length) : host,
    target: rest.startsWith('/') ? rest : `/${rest}`,
    user: mark === -1 ? null : userAndHost.slice(0, mark),
  };
}
