import type { PlainProblem } from '../../model/document/read-plain.ts';
import { Conflict, NotFound, Outdated } from '../../resources/changes/resource-store.ts';
import { isOutcomeUnknown, toldOfFault } from '../../resources/changes/store-fault.ts';
import { StoreUnavailable } from '../../check/store/credential-source.ts';

/** Why a request was not done: the status, and a title that is always the same (RFC 9457 §3.1). */
export const problems = {
  MALFORMED_REQUEST: { status: 400, title: 'The request is not well formed.' },
  UNAUTHENTICATED: { status: 401, title: 'A live token of an operator is needed.' },
  FORBIDDEN: { status: 403, title: 'The role or the labels of the operator do not allow this.' },
  NOT_FOUND: { status: 404, title: 'There is no such resource within the reach of the operator.' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'The path does not take this method.' },
  CONFLICT: { status: 409, title: 'The change does not go together with what is there.' },
  IDEMPOTENCY_CONFLICT: { status: 409, title: 'The request with this Idempotency-Key has not ended.' },
  REVISION_CHANGED: { status: 412, title: 'The resource was changed by others.' },
  BODY_TOO_LARGE: { status: 413, title: 'The body is too large.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'The body must be JSON.' },
  INVALID_RESOURCE: { status: 422, title: 'The resource breaks a rule.' },
  IDEMPOTENCY_MISMATCH: { status: 422, title: 'The Idempotency-Key belongs to another request.' },
  REVISION_REQUIRED: { status: 428, title: 'The revision that is to be changed is needed.' },
  TOO_MANY_REQUESTS: { status: 429, title: 'Too many requests.' },
  INTERNAL: { status: 500, title: 'The request failed by a defect of this program.' },
  STORE_UNAVAILABLE: { status: 503, title: 'The store does not answer; nothing was changed.' },
  PROVIDER_UNAVAILABLE: { status: 503, title: 'The OpenID Connect provider does not answer as it must.' },
  OUTCOME_UNKNOWN: { status: 503, title: 'The store did not confirm the change: it may be in force.' },
} as const satisfies Record<string, { readonly status: number; readonly title: string }>;

export type ProblemCode = keyof typeof problems;

/** Every code, in the order of the table. */
export const problemCodes = Object.keys(problems) as [ProblemCode, ...ProblemCode[]];

/** One fault of a body: where, as a JSON Pointer (RFC 6901), and what is wrong, without secrets. */
export interface ProblemDetail {
  readonly pointer: string;
  readonly detail: string;
}

/** A request that is not done. The message is the detail, for people; it holds no secret. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';

  readonly code: ProblemCode;
  readonly more: ProblemParts;

  constructor(code: ProblemCode, detail: string, more: ProblemParts = {}) {
    super(detail);
    this.code = code;
    this.more = more;
  }
}

interface ProblemParts {
  readonly errors?: readonly ProblemDetail[];
  /** Seconds after which another try makes sense. */
  readonly retryAfter?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** After this another try may find the store up again, in seconds. */
const RETRY_STORE_AFTER = 5;

/** What an error is to a client; null for a defect of this program. */
export function problemOf(error: unknown): ApiProblem | null {
  if (error instanceof ApiProblem) return error;
  if (error instanceof NotFound) return new ApiProblem('NOT_FOUND', error.message);
  if (error instanceof Outdated) return new ApiProblem('REVISION_CHANGED', error.message);
  if (error instanceof Conflict) return new ApiProblem('CONFLICT', error.message);
  if (isOutcomeUnknown(error)) return new ApiProblem('OUTCOME_UNKNOWN', (error as Error).message);
  return error instanceof StoreUnavailable ? storeUnavailable(toldOfFault(error)) : null;
}

/** The store does not answer: 503, with the time after which another try makes sense. */
export function storeUnavailable(detail: string): ApiProblem {
  return new ApiProblem('STORE_UNAVAILABLE', detail, { retryAfter: RETRY_STORE_AFTER });
}

/** Problems of a resource by its rules. A place whose path cannot be told from its keys has a pointer of its own. */
export function invalidResource(found: readonly (PlainProblem & { readonly pointer?: string })[]): ApiProblem {
  const errors = found.map(({ path, message, pointer = pointerOf(path) }) => ({ pointer, detail: message }));
  return new ApiProblem('INVALID_RESOURCE', errors.map(({ detail }) => detail).join('; '), { errors });
}

/** What a field names, or the problem that nothing within reach has this name, with the place of the field. */
export async function atField<T>(pointer: string, found: Promise<T>): Promise<T> {
  try {
    return await found;
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    throw new ApiProblem('NOT_FOUND', error.message, { errors: [{ pointer, detail: error.message }] });
  }
}

/** `match.paths[0].prefix` as `/match/paths/0/prefix`. */
function pointerOf(path: string): string {
  const parts = path.split(/[.[\]]+/).filter((part) => part !== '');
  return parts.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** A problem as clients get it (RFC 9457 §3). */
export interface ProblemBody {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ProblemCode;
  readonly requestId: string;
  readonly errors?: readonly ProblemDetail[];
}

/** The body of an answer. */
export function problemBody({ code, message, more }: ApiProblem, requestId: string): ProblemBody {
  const { status, title } = problems[code];
  const type = `urn:postern:problem:${code}`;
  return { type, title, status, detail: message, code, requestId, ...(more.errors ? { errors: more.errors } : {}) };
}
