import { createRoute, type OpenAPIHono, type RouteConfig, type RouteHandler, z } from '@hono/zod-openapi';
import type { ApiEnvironment } from './ports.ts';

/** A route whose path ends with what is done to one resource: `/v1/credentials/{id}:rotate`. */
export type ActionRoute = RouteConfig & {
  readonly method: 'post';
  readonly path: `${string}/{${string}}:${string}`;
  readonly request: { readonly params: z.ZodObject };
};

/**
 * Adds a route that ends with an action. The framework takes a whole segment as one parameter: it is registered with a
 * pattern of its own, and the document has the path as it is written.
 */
export function addAction<R extends ActionRoute>(
  api: OpenAPIHono<ApiEnvironment>,
  route: R,
  handler: RouteHandler<R, ApiEnvironment>,
): void {
  const { name, action } = ENDING.exec(route.path)?.groups ?? {};
  if (name === undefined || action === undefined) throw new Error(`${route.path} does not end with {id}:action`);
  const { params } = route.request;
  const own: unknown = params.shape[name];
  if (!(own instanceof z.ZodType)) throw new Error(`${route.path} has no parameter ${name}`);
  const withAction = z.string().transform((segment) => segment.slice(0, -`:${action}`.length));
  api.openAPIRegistry.registerPath(route);
  const routed = createRoute({
    ...route,
    hide: true,
    path: route.path.replace(ENDING, `:${name}{[^/:]+:${action}}`),
    request: {
      ...route.request,
      params: params.extend({ [name]: withAction.pipe(own as z.ZodType<unknown, string>) }),
    },
  });
  api.openapi(routed, handler as unknown as RouteHandler<typeof routed, ApiEnvironment>);
}

const ENDING = /\{(?<name>[A-Za-z]+)\}:(?<action>[a-z]+)$/;
const ROUTED_ENDING = /:([A-Za-z]+)\{\[\^\/:\]\+:([a-z]+)\}$/;

/** The path of a route as the document has it, from the pattern by which the framework finds it. */
export function documentedPath(pattern: string): string {
  return pattern.replace(ROUTED_ENDING, '{$1}:$2').replaceAll(/\/:([A-Za-z]+)/g, '/{$1}');
}

/** Whether a pattern by which the framework finds a route ends with an action. */
export function isAction(pattern: string): boolean {
  return ROUTED_ENDING.test(pattern);
}
