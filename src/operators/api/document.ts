import type { OpenAPIHono } from '@hono/zod-openapi';
import { headers, headersOf, MAX_HEADER_BYTES } from './document-headers.ts';
import { problemAnswers, problemSchema, problemsOf } from './document-problems.ts';
import { examples } from './examples.ts';
import { isAnsweredOnce, MAX_KEY_CHARACTERS } from './idempotency.ts';
import type { ApiEnvironment } from './ports.ts';

/** What the document says of the API as a whole. */
const about = {
  openapi: '3.1.0',
  info: {
    title: 'Postern management API',
    version: '1',
    description: `Endpoints, consumers, credentials, grants and limits, and what happened, by operators with roles. Answers other than
2xx are problems (RFC 9457). A method that a path does not take gets 405 with \`Allow\`.`,
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
  schema: { type: 'string', minLength: 1, maxLength: MAX_KEY_CHARACTERS, pattern: '^[!#-Z\\]-~]+$' },
  example: '8e03978e-40d5-43e8-bc93-6894a57f9324',
} as const;

/** What the server itself answers, before a route is known. */
const headersTooLarge = {
  description: `Address and headers are longer than ${String(MAX_HEADER_BYTES / 1024)} KiB together. The answer has no body.`,
};

type Document = ReturnType<OpenAPIHono<ApiEnvironment>['getOpenAPI31Document']>;

/** A content of the document, which an example can be given to. */
interface Content {
  'application/json'?: { example?: unknown };
}

/** What this file reads and writes of an operation. */
interface Operation {
  readonly operationId: string;
  parameters?: { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Content };
  responses: Record<string, { headers?: object; readonly content: Content } | { readonly $ref: string }>;
}

/** The OpenAPI document of all routes that were added so far. */
export function describeApi(api: OpenAPIHono<ApiEnvironment>): Document {
  const { openAPIRegistry: registry } = api;
  registry.registerComponent('securitySchemes', 'operatorToken', { type: 'http', scheme: 'bearer' });
  registry.register('Problem', problemSchema);
  const document = api.getOpenAPI31Document(about);
  const responses: Record<string, object> = { HeadersTooLarge: headersTooLarge };
  for (const [path, operations] of Object.entries(document.paths ?? {})) {
    for (const [method, operation] of Object.entries(operations) as [string, Operation][]) {
      const isOnce = isAnsweredOnce(method, path);
      if (isOnce) operation.parameters = [...(operation.parameters ?? []), idempotencyKey];
      addHeaders(isOnce, operation);
      addExamples(operation);
      const parameters = new Set((operation.parameters ?? []).map(({ name }) => name));
      const hasBody = operation.requestBody !== undefined;
      const { operationId } = operation;
      const answers = problemAnswers(problemsOf({ method, path, operationId, parameters, hasBody }));
      Object.assign(operation.responses, answers.responses, {
        431: { $ref: '#/components/responses/HeadersTooLarge' },
      });
      Object.assign(responses, answers.components);
    }
  }
  return { ...document, components: { ...document.components, headers, responses } } as unknown as Document;
}

/** Those that every answer has, beside its own. */
function addHeaders(isOnce: boolean, { responses }: Operation): void {
  const common = headersOf(isOnce ? ['X-Request-Id', 'Idempotency-Replayed'] : ['X-Request-Id']);
  for (const answer of Object.values(responses)) {
    if ('content' in answer) answer.headers = { ...answer.headers, ...common };
  }
}

function addExamples({ operationId, requestBody, responses }: Operation): void {
  const { request, answers = {} } = examples[operationId] ?? {};
  const body = requestBody?.content['application/json'];
  if (request !== undefined && body !== undefined) body.example = request;
  for (const [status, example] of Object.entries(answers)) {
    const answer = responses[status];
    const content = answer !== undefined && 'content' in answer ? answer.content['application/json'] : undefined;
    if (content !== undefined) content.example = example;
  }
}
