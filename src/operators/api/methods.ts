import type { MiddlewareHandler } from 'hono';
import { TrieRouter } from 'hono/router/trie-router';
import { isAction } from './action-route.ts';
import type { ApiEnvironment } from './ports.ts';
import { ApiProblem } from './problem.ts';

/** A route, as the framework has it. */
interface Route {
  readonly method: string;
  /** The pattern by which it is found. */
  readonly path: string;
}

/** What a path that routes have takes. */
interface Place {
  readonly pattern: string;
  readonly methods: Set<string>;
}

/**
 * Refuses a method that a path does not take with `METHOD_NOT_ALLOWED` and the field `Allow` (RFC 9110 §15.5.6).
 * `routes` is read with the first request, when all are added. Paths that no route has pass.
 */
export function refuseOtherMethods(routes: readonly Route[]): MiddlewareHandler<ApiEnvironment> {
  let router: TrieRouter<Place> | undefined;
  return async ({ req }, next) => {
    router ??= placesOf(routes);
    const place = nearest(router.match('ALL', req.path)[0].map(([each]) => each));
    if (place?.methods.has(req.method) === false) {
      const allow = [...place.methods].sort().join(', ');
      throw new ApiProblem('METHOD_NOT_ALLOWED', `this path takes ${allow}`, { headers: { allow } });
    }
    await next();
  };
}

function placesOf(routes: readonly Route[]): TrieRouter<Place> {
  const places = new Map<string, Place>();
  for (const { method, path: pattern } of routes) {
    // A handler for every method is middleware: it answers none of them.
    if (method === 'ALL') continue;
    const place = places.get(pattern) ?? { pattern, methods: new Set() };
    place.methods.add(method);
    // The framework answers it as GET, without the body.
    if (method === 'GET') place.methods.add('HEAD');
    places.set(pattern, place);
  }
  const router = new TrieRouter<Place>();
  for (const place of places.values()) router.add('ALL', place.pattern, place);
  return router;
}

/**
 * The path that a request means: `/v1/operators/me` is no operator, and `/v1/credentials/acme:rotate` no credential.
 */
function nearest(places: readonly Place[]): Place | undefined {
  return (
    places.find(({ pattern }) => !pattern.includes('/:')) ??
    places.find(({ pattern }) => isAction(pattern)) ??
    places[0]
  );
}
