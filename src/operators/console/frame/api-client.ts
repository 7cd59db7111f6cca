import type { OpenAPIHono } from '@hono/zod-openapi';
import type { ApiEnvironment } from '../../api/ports.ts';
import type { ProblemBody } from '../../api/problem.ts';
import type { Operator } from '../../../model/operator.ts';

/** A problem that a page has no better place for: its page is shown instead. */
export class ProblemAnswer extends Error {
  override readonly name = 'ProblemAnswer';

  readonly problem: ProblemBody;

  constructor(problem: ProblemBody) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** What a change carries besides its path. */
export interface ChangeRequest {
  readonly body?: unknown;
  /** Parameters of the route itself. */
  readonly query?: Readonly<Record<string, string>>;
  /** The revision that the page showed; absent for a creation. */
  readonly revision?: string;
  /** Why, for the audit trail; an empty one is none. */
  readonly reason?: string;
  /** For a POST that must not be done twice: the API answers the same key once, for a day. */
  readonly onceKey?: string;
  /** Only says what would change. */
  readonly isDryRun?: boolean;
}

/** What came of a change: the answer, or a problem that the form shows. */
export type ChangeAnswer<T> =
  | { readonly problem: null; readonly body: T; readonly headers: Headers }
  | { readonly problem: ProblemBody };

/**
 * The management API in the same process, as one operator. The API alone decides what the operator may and what a
 * change is; the console has no rules of its own.
 */
export class ApiClient {
  readonly #api: Pick<OpenAPIHono<ApiEnvironment>, 'fetch'>;
  readonly #operator: Operator;

  constructor(api: Pick<OpenAPIHono<ApiEnvironment>, 'fetch'>, operator: Operator) {
    this.#api = api;
    this.#operator = operator;
  }

  /** What a route shows. Throws {@link ProblemAnswer}. */
  async get<T>(path: string): Promise<T> {
    const { body, problem } = await this.#ask(path, {});
    if (problem !== null) throw new ProblemAnswer(problem);
    return body as T;
  }

  /** What a route shows; null where there is no such resource within reach. Throws {@link ProblemAnswer}. */
  async find<T>(path: string): Promise<T | null> {
    const { body, problem } = await this.#ask(path, {});
    if (problem === null) return body as T;
    if (problem.code === 'NOT_FOUND') return null;
    throw new ProblemAnswer(problem);
  }

  /** Makes a change, or plans it. */
  async change<T>(
    method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    { body, query: own = {}, revision, reason = '', onceKey, isDryRun = false }: ChangeRequest = {},
  ): Promise<ChangeAnswer<T>> {
    const query = new URLSearchParams({
      ...own,
      ...(isDryRun ? { dryRun: 'true' } : {}),
      ...(reason === '' ? {} : { reason }),
    });
    const headers = {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(revision === undefined ? {} : { 'if-match': `"${revision}"` }),
      ...(onceKey === undefined ? {} : { 'idempotency-key': onceKey }),
    };
    const answer = await this.#ask(query.size === 0 ? path : `${path}?${query.toString()}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const { problem } = answer;
    if (problem === null) return { problem, body: answer.body as T, headers: answer.headers };
    return { problem };
  }

  /** What a change would do. Throws {@link ProblemAnswer} for any problem. */
  async plan<T>(method: 'POST' | 'PATCH' | 'DELETE', path: string, change: ChangeRequest = {}): Promise<T> {
    const answer = await this.change<T>(method, path, { ...change, isDryRun: true });
    if (answer.problem !== null) throw new ProblemAnswer(answer.problem);
    return answer.body;
  }

  async #ask(path: string, init: RequestInit): Promise<Asked> {
    const request = new Request(`http://console.invalid${path}`, init);
    const answer = await this.#api.fetch(request, { operator: this.#operator, via: 'console' });
    const body: unknown = await answer.json();
    const { headers } = answer;
    return answer.ok ? { problem: null, body, headers } : { problem: body as ProblemBody, body: null, headers };
  }
}

interface Asked {
  readonly body: unknown;
  readonly problem: ProblemBody | null;
  readonly headers: Headers;
}
