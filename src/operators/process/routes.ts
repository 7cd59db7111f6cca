import type { HttpBindings } from '@hono/node-server';
import type { Peer } from '../api/ports.ts';

/** Answers requests of the listener. */
export type Fetch = (request: Request, bindings: HttpBindings & Peer) => Response | Promise<Response>;

/** Paths of the management API. Everything else is the console's. */
const API_PATHS = /^\/(?:v1(?:\/|$)|openapi\.json$|\.well-known\/oauth-protected-resource$|livez$|readyz$)/;

/** Divides requests between the management API and the console. */
export function divideRequests(parts: { readonly api: Fetch; readonly console: Fetch }): Fetch {
  return (request, bindings) =>
    (API_PATHS.test(new URL(request.url).pathname) ? parts.api : parts.console)(request, bindings);
}
