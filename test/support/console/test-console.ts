import type { HttpBindings } from '@hono/node-server';
import { createApi } from '../../../src/operators/api/app.ts';
import type { AnsweredRequest, Peer } from '../../../src/operators/api/ports.ts';
import { createConsole } from '../../../src/operators/console/console.ts';
import { Jobs } from '../../../src/operators/console/jobs/jobs.ts';
import { operatorDefaults, type Operator } from '../../../src/model/operator.ts';
import type { RefusalRecord } from '../../../src/check/refusals/refusal-record.ts';
import type { TrafficCount } from '../../../src/model/traffic-count.ts';
import { StoreUnavailable } from '../../../src/check/store/credential-source.ts';
import { memoryApiStore, peerAt, testCursors } from '../api/memory-api.ts';
import { MemoryJobStore } from './memory-job-store.ts';
import { MemoryResourceStore } from '../manage/memory-resource-store.ts';

/** When everything happens, in seconds since the epoch. */
export const NOW = 1_790_000_000;

/** A page, or the way to another one. */
export interface PageAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/**
 * The console on a store in memory, with sessions by the name of the operator: `x-test-operator` stands for the cookie.
 */
export class TestConsole {
  readonly store: MemoryResourceStore;
  /** What was refused, for tests to set. */
  readonly refusals: RefusalRecord[] = [];
  /** Requests that were counted, for tests to set. */
  readonly traffic: TrafficCount[] = [];
  readonly answered: AnsweredRequest[] = [];
  readonly defects: unknown[] = [];
  readonly jobs: Jobs;
  /** Set: whatever the console asks, MongoDB does not answer. */
  isStoreDown = false;
  /** Seconds since the epoch; a test can set it. */
  now = NOW;
  /** Where requests come from. */
  address = '192.0.2.1';
  readonly #fetch: (request: Request, bindings: HttpBindings & Peer) => Response | Promise<Response>;
  readonly #operators = new Map<string, Operator>();

  constructor(store: MemoryResourceStore) {
    this.store = store;
    const clock = { nowSeconds: () => this.now, nowMs: () => this.now * 1000, elapsedMs: () => 0 };
    const observer = {
      answered: (request: AnsweredRequest) => this.answered.push(request),
      defect: (error: unknown) => this.defects.push(error),
      answerLost: (error: unknown) => this.defects.push(error),
    };
    const api = createApi({
      store: memoryApiStore(store, { refusals: this.refusals, traffic: this.traffic, replicas: [] }),
      ...{ clock, observer, findUnreadiness: () => null, cursors: testCursors },
      publicUrl: new URL('https://api.example.com'),
    });
    const findSession = async (request: Request): Promise<{ operator: Operator; csrfToken: string } | null> => {
      await Promise.resolve();
      if (this.isStoreDown) throw this.outage();
      const operator = this.#operators.get(request.headers.get('x-test-operator') ?? '');
      return operator === undefined ? null : { operator, csrfToken: `token of ${operator.id}` };
    };
    this.jobs = new Jobs({
      store: new MemoryJobStore(),
      clock,
      onDefect: (error) => this.defects.push(error),
    });
    this.#fetch = createConsole({ api, findSession, clock, observer, jobs: this.jobs }).fetch;
  }

  /** What a store throws that does not answer. */
  outage(): StoreUnavailable {
    return new StoreUnavailable('MongoDB cannot be reached');
  }

  /** Somebody who can sign in. */
  add(id: string, role: Operator['role'], more: Partial<Operator> = {}): void {
    const operator = { ...operatorDefaults, id, role, ...more };
    this.#operators.set(id, operator);
    this.store.guests.set(id, operator);
  }

  /** Opens a page as an operator; null for nobody. */
  async open(who: string | null, path: string, init: RequestInit = {}): Promise<PageAnswer> {
    const headers = new Headers(init.headers);
    headers.set('host', 'console.test');
    if (who !== null) headers.set('x-test-operator', who);
    const request = new Request(`http://console.test${path}`, { ...init, headers });
    const answer = await this.#fetch(request, peerAt(this.address));
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }

  /** Sends a form as a page of the operator's session does. */
  async submit(
    who: string,
    path: string,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = { 'sec-fetch-site': 'same-origin' },
  ): Promise<PageAnswer> {
    const body = new URLSearchParams({ csrf: `token of ${who}`, ...fields });
    return await this.open(who, path, { method: 'POST', body, headers });
  }
}

/** The value of a hidden field of a page. Throws where there is none. */
export function hiddenValue(page: PageAnswer, name: string): string {
  const found = new RegExp(`<input type="hidden" name="${name}" value="([^"]*)">`).exec(page.text)?.[1];
  if (found === undefined) throw new Error(`no hidden field ${name} in:\n${page.text}`);
  return found;
}
