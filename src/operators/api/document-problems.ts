import { z } from '@hono/zod-openapi';
import { type HeaderName, headersOf } from './document-headers.ts';
import { isAnsweredOnce } from './idempotency.ts';
import { type ProblemCode, problemCodes, problems } from './problem.ts';

/** What of an operation says which problems it can have. */
export interface DescribedOperation {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  /** The names of its parameters, without that of the path. */
  readonly parameters: ReadonlySet<string>;
  readonly hasBody: boolean;
}

/** The shape of a problem. */
export const problemSchema = z
  .object({
    type: z.string().openapi({ description: 'A URN of the code.', example: 'urn:postern:problem:NOT_FOUND' }),
    title: z.string(),
    status: z.number().int(),
    detail: z.string().openapi({ description: 'For people. It holds no secret.' }),
    code: z.enum(problemCodes),
    requestId: z.string().openapi({ description: 'As in `X-Request-Id`.' }),
    errors: z
      .array(z.object({ pointer: z.string(), detail: z.string() }))
      .optional()
      .openapi({ description: 'Every fault of a body, with its place as a JSON Pointer.' }),
  })
  .openapi('Problem');

/** Lists that answer 404 where what they are narrowed to is not there, and bodies that name other resources. */
const NARROWING = ['consumer', 'endpoint'];
const NAMING = ['issueCredential', 'importCredential', 'createGrant', 'compareSecrets', 'changeResources'];

/** The problems that an operation can have, in the order of the table of codes. */
export function problemsOf({
  method,
  path,
  operationId,
  parameters,
  hasBody,
}: DescribedOperation): readonly ProblemCode[] {
  const isChange = method !== 'get';
  const isOnce = isAnsweredOnce(method, path);
  const takesIds = path.includes('{') || NARROWING.some((name) => parameters.has(name)) || NAMING.includes(operationId);
  const has: Readonly<Record<ProblemCode, boolean>> = {
    MALFORMED_REQUEST: path.includes('{') || parameters.size > 0 || hasBody,
    UNAUTHENTICATED: true,
    FORBIDDEN: operationId !== 'showMe',
    NOT_FOUND: takesIds,
    // Of a path, not of one of its operations.
    METHOD_NOT_ALLOWED: false,
    CONFLICT: isChange,
    IDEMPOTENCY_CONFLICT: isOnce,
    REVISION_CHANGED: isChange,
    BODY_TOO_LARGE: isChange,
    UNSUPPORTED_MEDIA_TYPE: isChange,
    INVALID_RESOURCE: hasBody,
    IDEMPOTENCY_MISMATCH: isOnce,
    REVISION_REQUIRED: parameters.has('if-match'),
    TOO_MANY_REQUESTS: true,
    INTERNAL: true,
    STORE_UNAVAILABLE: true,
    PROVIDER_UNAVAILABLE: operationId === 'beginSession',
    OUTCOME_UNKNOWN: isChange,
  };
  return problemCodes.filter((code) => has[code]);
}

/** Headers of the answers with a status, beside those of all. */
const headersByStatus: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** The answers of an operation with these problems, by status: references, and what they lead to by its name. */
export function problemAnswers(codes: readonly ProblemCode[]): {
  readonly responses: Readonly<Record<string, { readonly $ref: string }>>;
  readonly components: Readonly<Record<string, object>>;
} {
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of codes) {
    const { status } = problems[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const named = [...byStatus].map(([status, some]) => ({ status, some, name: some.map(pascalCase).join('Or') }));
  return {
    responses: Object.fromEntries(
      named.map(({ status, name }) => [String(status), { $ref: `#/components/responses/${name}` }]),
    ),
    components: Object.fromEntries(named.map(({ status, some, name }) => [name, problemAnswer(status, some)])),
  };
}

function problemAnswer(status: number, codes: readonly ProblemCode[]): object {
  const own = { type: 'object', properties: { status: { const: status }, code: { enum: [...codes] } } };
  const schema = { allOf: [{ $ref: '#/components/schemas/Problem' }, own] };
  return {
    description: codes.map((code) => `\`${code}\`: ${problems[code].title}`).join(' '),
    headers: headersOf(['X-Request-Id', ...(headersByStatus[status] ?? [])]),
    content: { 'application/problem+json': { schema } },
  };
}

/** `NOT_FOUND` as `NotFound`. */
function pascalCase(code: ProblemCode): string {
  return code
    .split('_')
    .map((word) => word.slice(0, 1) + word.slice(1).toLowerCase())
    .join('');
}
