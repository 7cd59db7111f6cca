import type { OpenAPIHono } from '@hono/zod-openapi';
import type { ApiEnvironment } from './ports.ts';

/** What the document says of the API as a whole. */
const about = {
  openapi: '3.1.0',
  info: {
    title: 'Postern management API',
    version: '1',
    description: 'Endpoints, consumers, credentials, grants and limits, and what happened, by operators with roles.',
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url: '/', description: 'The address of postern manage.' }],
  security: [{ operatorToken: [] }],
};

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'The same request with the same key is done once, and answered the same for a day.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!#-Z\\]-~]+$' },
  example: '8e03978e-40d5-43e8-bc93-6894a57f9324',
} as const;

type Document = ReturnType<OpenAPIHono<ApiEnvironment>['getOpenAPI31Document']>;

/** The OpenAPI document of all routes that were added so far. */
export function describeApi(api: OpenAPIHono<ApiEnvironment>): Document {
  api.openAPIRegistry.registerComponent('securitySchemes', 'operatorToken', { type: 'http', scheme: 'bearer' });
  const document = api.getOpenAPI31Document(about);
  for (const { post } of Object.values(document.paths ?? {})) {
    if (post !== undefined) post.parameters = [...(post.parameters ?? []), idempotencyKey];
  }
  return document;
}
