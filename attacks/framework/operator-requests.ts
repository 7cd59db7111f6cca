import type { Assault } from './assault.ts';
import type { ManagedTarget } from './managed.ts';

/** A request to the management API. */
export interface ManageRequest {
  readonly method?: string;
  readonly path: string;
  /** Null: none. */
  readonly token?: string | null;
  /** An object is sent as JSON, a text as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The address that the proxy names; the attackers' unless given. */
  readonly source?: string;
}

/** Answers by what they were: a status, or the code of a problem behind it. */
export type Outcomes = Map<string, number>;

/** The address of attackers (RFC 5737). */
const ATTACKERS = '203.0.113.66';
const AT_ONCE = 16;

/** The management API that an attack is aimed at. */
export function managedOf({ target: { managed } }: Assault): ManagedTarget {
  if (managed === null) throw new Error('the attack needs a service with isManaged');
  return managed;
}

/** Sends one request, which is counted; gives status and code. */
export async function manage(
  assault: Assault,
  { method = 'GET', path, token = null, body, headers = {}, source = ATTACKERS }: ManageRequest,
): Promise<string> {
  const { port } = managedOf(assault);
  const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  assault.count((text?.length ?? 0) + path.length + 300, 1);
  const answer = await fetch(`http://127.0.0.1:${String(port)}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      'x-envoy-external-address': source,
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(text === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(text === undefined ? {} : { body: text }),
  });
  const read = await answer.text();
  const code = /^application\/problem/.test(answer.headers.get('content-type') ?? '')
    ? ` ${String((JSON.parse(read) as { readonly code?: unknown }).code)}`
    : '';
  return `${String(answer.status)}${code}`;
}

/** Sends many, some at once. */
export async function manageMany(assault: Assault, requests: readonly ManageRequest[]): Promise<Outcomes> {
  const outcomes: Outcomes = new Map();
  const waiting = [...requests];
  const one = async (): Promise<void> => {
    for (let request = waiting.shift(); request !== undefined; request = waiting.shift()) {
      const outcome = await manage(assault, request).catch(() => 'no answer');
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  return outcomes;
}

/** In words, for what was found. */
export function shownOutcomes(outcomes: Outcomes): string {
  return [...outcomes].map(([outcome, count]) => `${String(count)} × ${outcome}`).join(', ');
}

/** What names a resource, and changes with it; when a credential was used last does not count. */
const FIELDS = 'id,endpoint,consumer,consumerSelector,revision';

/** Everything that operators manage, as an admin who reaches all sees it: unchanged, when it is the same text. */
export async function snapshot(assault: Assault): Promise<string> {
  const { port, rootToken } = managedOf(assault);
  const lists = ['consumers', 'endpoints', 'grants', 'credentials', 'operators'].map(async (list) => {
    const answer = await fetch(`http://127.0.0.1:${String(port)}/v1/${list}?limit=500&fields=${FIELDS}`, {
      headers: { authorization: `Bearer ${rootToken}` },
    });
    if (!answer.ok) throw new Error(`GET /v1/${list}: ${String(answer.status)}`);
    return await answer.text();
  });
  return (await Promise.all(lists)).join('\n');
}
