import type { OpenAPIHono } from '@hono/zod-openapi';
import type { People } from './people.ts';
import type { ApiEnvironment } from './ports.ts';

/** Where the metadata of a protected resource without a path is (RFC 9728 §3.1). */
export const PROTECTED_RESOURCE_PATH = '/.well-known/oauth-protected-resource';

/** Adds the metadata by which a command finds the OpenID Connect provider. Anyone may read it. */
export function addProtectedResource(api: OpenAPIHono<ApiEnvironment>, { metadata }: People): void {
  api.get(PROTECTED_RESOURCE_PATH, (context) => context.json(metadata));
}
