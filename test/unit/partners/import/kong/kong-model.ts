/**
 * A route as the tests write it; what Kong makes of it is written here again, from Kong's documents, without the
 * importer.
 */
export interface ModelRoute {
  readonly hosts: readonly string[];
  readonly paths: readonly string[];
  readonly methods: readonly string[];
  readonly headers?: Readonly<Record<string, readonly string[]>>;
  readonly regex_priority?: number;
  readonly access: ModelAccess;
}

/** Plugins of a route. */
export type ModelAccess = 'open' | 'key' | 'hmac' | 'key-group' | 'jwt' | 'ip' | 'both';

export interface ModelRequest {
  readonly host: string;
  readonly path: string;
  readonly method: string;
  readonly hasHeader: boolean;
}

/** The plugins that stand for an access. */
export function pluginsOf(access: ModelAccess): readonly object[] {
  const plugins: Readonly<Record<ModelAccess, readonly object[]>> = {
    open: [],
    key: [{ name: 'key-auth' }],
    hmac: [{ name: 'hmac-auth' }],
    'key-group': [{ name: 'key-auth' }, { name: 'acl', config: { allow: ['gold'] } }],
    jwt: [{ name: 'jwt' }],
    ip: [{ name: 'ip-restriction', config: { allow: ['10.0.0.0/8'] } }],
    both: [{ name: 'key-auth' }, { name: 'hmac-auth' }],
  };
  return plugins[access];
}

/** What decides which requests a route takes. */
export type ModelMatch = Omit<ModelRoute, 'access'>;

/** The routes that Kong may give a request to: one, several where it has no order, or none. */
export function winnersOf<R extends ModelMatch>(routes: readonly R[], request: ModelRequest): readonly R[] {
  const matches = routes.flatMap((route) => rankOf(route, request).map((rank) => ({ route, rank })));
  const best = matches.reduce<readonly number[] | null>(
    (top, { rank }) => (top === null || compare(rank, top) > 0 ? rank : top),
    null,
  );
  return best === null ? [] : matches.filter(({ rank }) => compare(rank, best) === 0).map(({ route }) => route);
}

function rankOf(route: ModelMatch, request: ModelRequest): readonly (readonly number[])[] {
  const { hosts, paths, methods, headers = {} } = route;
  if (methods.length > 0 && !methods.includes(request.method)) return [];
  if (hosts.length > 0 && !hosts.some((host) => matchesHost(host, request.host))) return [];
  if (Object.keys(headers).length > 0 && !request.hasHeader) return [];
  const weight =
    Math.sign(hosts.length) +
    Math.sign(paths.length) +
    Math.sign(methods.length) +
    Math.sign(Object.keys(headers).length);
  const isPlain = hosts.length > 0 && !hosts.some((host) => host.includes('*'));
  const head = [weight, Number(isPlain), Object.keys(headers).length];
  if (paths.length === 0) return [[...head, 0, 0, 0]];
  return paths.flatMap((path) => {
    if (path.startsWith('~')) {
      if (!new RegExp(`^(?:${path.slice(1)})`).test(request.path)) return [];
      return [[...head, 1, route.regex_priority ?? 0, 0]];
    }
    return request.path.startsWith(path) ? [[...head, 0, 0, path.length]] : [];
  });
}

function matchesHost(pattern: string, host: string): boolean {
  if (pattern.startsWith('*')) return host.endsWith(pattern.slice(1));
  return pattern.endsWith('*') ? host.startsWith(pattern.slice(0, -1)) : host === pattern;
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) {
    const difference = value - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
