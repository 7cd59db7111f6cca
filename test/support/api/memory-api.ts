import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { createApi } from '../../../src/api/app.ts';
import type { AnsweredRequest } from '../../../src/api/ports.ts';
import { textOf } from '../../../src/manage/generate-credential.ts';
import { issueToken } from '../../../src/manage/operator-token.ts';
import { operatorDefaults, type Operator } from '../../../src/model/operator.ts';
import { type InitialResources, MemoryResourceStore } from '../manage/memory-resource-store.ts';

/** The time of the API. */
export const apiNow = 1_790_000_000;

/** An answer of the API. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What a request has besides its path. */
interface Asking {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The management API on a store in memory, and operators that ask it. */
export interface MemoryApi {
  readonly store: MemoryResourceStore;
  readonly answered: readonly AnsweredRequest[];
  /** Adds an operator with a live token. */
  readonly add: (id: string, role: Operator['role'], more?: Partial<Operator>) => Promise<void>;
  /** Asks as an operator that was added. */
  readonly ask: (who: string, method: string, path: string, asking?: Asking) => Promise<Answer>;
  /** Asks, and asserts that the answer is a problem with this code. */
  readonly refused: (code: string, who: string, method: string, path: string, asking?: Asking) => Promise<Answer>;
}

/** Serves the API in this process, on a store that begins with these resources. */
export function memoryApi(initial: InitialResources): MemoryApi {
  const store = new MemoryResourceStore(initial);
  const answered: AnsweredRequest[] = [];
  const tokens = new Map<string, string>();
  const api = createApi({
    store: { resources: store, usage: store, audit: store },
    clock: { nowSeconds: () => apiNow, nowMs: () => apiNow * 1000, elapsedMs: () => 0 },
    observer: {
      answered: (request) => answered.push(request),
      defect: (error) => {
        throw error;
      },
    },
    publicUrl: new URL('https://api.example.com'),
  });
  const ask: MemoryApi['ask'] = async (who, method, path, { body, headers = {} } = {}) => {
    const token = tokens.get(who);
    assert.ok(token !== undefined, `${who} is an operator`);
    const content = body === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await api.request(
      path,
      {
        method,
        headers: { authorization: `Bearer ${token}`, ...content, ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      },
      { incoming: new IncomingMessage(new Socket()) },
    );
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Answer['body'] };
  };
  return {
    store,
    answered,
    add: async (id, role, more = {}) => {
      const issued = issueToken(id, apiNow - 10, apiNow + 3600);
      const operator = { ...operatorDefaults, id, role, tokens: [issued.token], ...more };
      await store.commit([{ kind: 'operator', id, before: null, after: operator }], { actor: 'test', action: 'test' });
      tokens.set(id, textOf(issued.text));
    },
    ask,
    refused: async (code, who, method, path, asking) => {
      const answer = await ask(who, method, path, asking);
      assert.equal(answer.body['code'], code, `${method} ${path}: ${JSON.stringify(answer.body)}`);
      assert.equal(answer.headers.get('content-type'), 'application/problem+json');
      return answer;
    },
  };
}

/** The items of a page. */
export function itemsOf({ status, body }: Answer): readonly Readonly<Record<string, unknown>>[] {
  assert.equal(status, 200, JSON.stringify(body));
  return body['items'] as readonly Readonly<Record<string, unknown>>[];
}

/** One field of each item of a page. */
export function namesIn(answer: Answer, field = 'id'): readonly unknown[] {
  return itemsOf(answer).map((item) => item[field]);
}
