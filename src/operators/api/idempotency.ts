import { hash } from 'node:crypto';
import type { Context, Next } from 'hono';
import type { Clock } from '../../base/clock.ts';
import type { FormerRequest, OnceRequests } from '../../resources/changes/idempotency.ts';
import type { ApiEnvironment } from './ports.ts';
import { ApiProblem, problemOf } from './problem.ts';
import { SESSIONS_PATH } from './sessions.ts';

/** For so long the same key gives the same answer. */
const KEPT_SECONDS = 86_400;
/** Larger answers are not kept: then the request is answered as one whose end is not known. */
const MAX_KEPT_LENGTH = 1024 * 1024;
/** Characters of a key. */
export const MAX_KEY_CHARACTERS = 255;
/** A string of RFC 9651, or the bare text that many clients send. */
const KEY = new RegExp(
  String.raw`^"([\x20\x21\x23-\x5b\x5d-\x7e]{1,${String(MAX_KEY_CHARACTERS)}})"$|^([\x21\x23-\x5b\x5d-\x7e]{1,${String(MAX_KEY_CHARACTERS)}})$`,
);
/** Of an answer. The rest is made new for each. */
const KEPT_HEADERS = ['content-type', 'etag', 'location'];

/** What answering once takes. */
export interface IdempotencyPorts {
  readonly once: OnceRequests;
  readonly clock: Pick<Clock, 'nowSeconds'>;
  /** The answer could not be kept, though the request was done. */
  readonly onLost: (error: unknown) => void;
}

/**
 * Whether requests of an operation take an `Idempotency-Key`: every `POST` but the one that begins a session, whose
 * token is not kept.
 */
export function isAnsweredOnce(method: string, path: string): boolean {
  return method.toUpperCase() === 'POST' && path !== SESSIONS_PATH;
}

/**
 * Answers a `POST` with an `Idempotency-Key` once: the same request gets the same answer for a day, and changes nothing
 * again; it has an `Age` in seconds. The key belongs to the operator, and to method, address, `If-Match` and body. What
 * was refused is not kept. A process that ends between the commit and keeping the answer leaves a key that is refused
 * (`IDEMPOTENCY_CONFLICT`).
 */
export async function answerOnce(
  context: Context<ApiEnvironment, string>,
  next: Next,
  { once, clock, onLost }: IdempotencyPorts,
): Promise<Response | undefined> {
  const given = context.req.header('idempotency-key');
  if (given === undefined || !isAnsweredOnce(context.req.method, context.req.path)) {
    await next();
    return undefined;
  }
  const [, quoted, bare] = KEY.exec(given) ?? [];
  const key = quoted ?? bare;
  if (key === undefined) {
    throw new ApiProblem('MALFORMED_REQUEST', 'Idempotency-Key is a text of 1 to 255 visible characters');
  }
  if (context.req.query('dryRun') === 'true') {
    await next();
    return undefined;
  }
  const { id: operatorId, role, selector, hosts, pathPrefixes } = context.get('operator');
  const { pathname, search } = new URL(context.req.url);
  // With the rights: who has lost some gets no answer of before.
  const rights = [role, selector, hosts, pathPrefixes];
  const parts = [pathname, search, context.req.header('if-match') ?? null, await context.req.text(), ...rights];
  const request = hash('sha256', JSON.stringify(parts), 'hex');
  const id = hash('sha256', JSON.stringify([operatorId, key]), 'hex');
  const createdAt = clock.nowSeconds();
  const former = await once.begin({ id, operatorId, request, createdAt, expiresAt: createdAt + KEPT_SECONDS });
  if (former !== null) return repeat(former, request, createdAt);
  await next();
  try {
    if (context.res.ok) {
      const body = await context.res.clone().text();
      const headers = KEPT_HEADERS.flatMap((name) => {
        const value = context.res.headers.get(name);
        return value === null ? [] : [[name, value] as const];
      });
      const date = new Date(clock.nowSeconds() * 1000).toUTCString();
      const answer = { status: context.res.status, headers: { ...Object.fromEntries(headers), date }, body };
      if (body.length <= MAX_KEPT_LENGTH) await once.finish(id, answer);
    } else if (isSurelyUndone(context)) await once.forget(id);
  } catch (error) {
    onLost(error);
  }
  return undefined;
}

/** Whether a refused request changed nothing. A defect, or a commit that was not confirmed, may have. */
function isSurelyUndone({ res, error }: Context<ApiEnvironment, string>): boolean {
  return res.status < 500 || problemOf(error)?.code === 'STORE_UNAVAILABLE';
}

function repeat({ request, answer }: FormerRequest, asked: string, nowSeconds: number): Response {
  if (request !== asked) {
    throw new ApiProblem('IDEMPOTENCY_MISMATCH', 'the Idempotency-Key was given with another request; take a new one');
  }
  if (answer === null) {
    throw new ApiProblem(
      'IDEMPOTENCY_CONFLICT',
      'the request with this Idempotency-Key still runs, or its answer was lost: look at what it changes, and then take a new key',
    );
  }
  const { status, headers: kept, body } = answer;
  const headers = new Headers({ ...kept, 'idempotency-replayed': 'true' });
  // Answers that former versions kept have none.
  const ageSeconds = nowSeconds - Date.parse(headers.get('date') ?? '') / 1000;
  if (Number.isFinite(ageSeconds)) headers.set('age', String(Math.max(0, Math.floor(ageSeconds))));
  headers.delete('date');
  return new Response(body, { status, headers });
}
