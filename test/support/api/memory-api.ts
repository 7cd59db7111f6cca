import assert from 'node:assert/strict';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { HttpBindings } from '@hono/node-server';
import type { OpenAPIHono } from '@hono/zod-openapi';
import { createApi } from '../../../src/operators/api/app.ts';
import type { People } from '../../../src/operators/api/people.ts';
import type { AnsweredRequest, ApiEnvironment, ApiPorts, Peer } from '../../../src/operators/api/ports.ts';
import { createCursorSealer } from '../../../src/model/keyring/cursor-sealer.ts';
import { textOf } from '../../../src/resources/changes/generate-credential.ts';
import { issueToken } from '../../../src/resources/changes/operator-token.ts';
import type { Replica } from '../../../src/resources/changes/replicas.ts';
import { type LabelOwners, noLabelOwners } from '../../../src/model/label-owners.ts';
import { type Operator, operatorDefaults } from '../../../src/model/operator.ts';
import { isOlder, isSelected, type RefusalRecord } from '../../../src/check/refusals/refusal-record.ts';
import type { TrafficCount } from '../../../src/model/traffic-count.ts';
import { assertDocumented, type ReadDocument } from './documented.ts';
import { testKeyRing } from '../keyring/test-key-ring.ts';
import { MemoryOnceRequests } from './memory-once-requests.ts';
import { memoryDirectory } from '../manage/memory-directory.ts';
import { memoryDue } from '../manage/memory-due.ts';
import { type InitialResources, MemoryResourceStore } from '../manage/memory-resource-store.ts';

/** The time at which the API begins. */
export const apiNow = 1_790_000_000;

/** Cursors as every replica with the same key ring has them. */
export const testCursors = createCursorSealer(() => testKeyRing());

/** What the management API answers. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What a request has besides its address. */
export interface Asked {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The management API on a store in memory, for tests; without a network. Every answer is held to the document. */
export class MemoryApi {
  /** Seconds since the epoch; a test can set it. */
  now = apiNow;
  /** Where requests come from. */
  address = '192.0.2.1';
  /** What the API has seen last of its store; null: it answers. */
  unreadiness: string | null = null;
  readonly store: MemoryResourceStore;
  readonly api: OpenAPIHono<ApiEnvironment>;
  readonly answered: AnsweredRequest[] = [];
  readonly defects: unknown[] = [];
  /** In no order. */
  readonly refusals: RefusalRecord[] = [];
  readonly traffic: TrafficCount[] = [];
  readonly replicas: Replica[] = [];
  readonly #tokens = new Map<string, string>();
  static #document: Promise<ReadDocument> | undefined;

  constructor(initial: InitialResources = {}, labelOwners: LabelOwners = noLabelOwners, people: People | null = null) {
    const clock = { nowSeconds: () => this.now, nowMs: () => this.now * 1000, elapsedMs: () => 0 };
    this.store = new MemoryResourceStore(initial, clock);
    this.api = createApi({
      store: memoryApiStore(this.store, this),
      clock,
      observer: {
        answered: (request) => this.answered.push(request),
        defect: (error) => this.defects.push(error),
        answerLost: (error) => this.defects.push(error),
      },
      findUnreadiness: () => this.unreadiness,
      cursors: testCursors,
      labelOwners,
      people,
      publicUrl: new URL('https://api.example.com'),
    });
  }

  /** The token of an operator that was added. */
  tokenOf(id: string): string {
    return this.#tokens.get(id) ?? assert.fail(id);
  }

  /** Adds an operator with a token. */
  async add(id: string, role: Operator['role'], more: Partial<Operator> = {}): Promise<void> {
    const issued = issueToken(id, this.now - 10, this.now + 3600);
    const operator = { ...operatorDefaults, id, role, tokens: [issued.token], ...more };
    const operation = { actor: 'test', action: 'operator add' };
    await this.store.commit([{ kind: 'operator', id, before: null, after: operator }], operation);
    this.#tokens.set(id, textOf(issued.text));
  }

  /** Asks as an operator, with another token, or (null) with none. */
  async ask(...asked: Parameters<MemoryApi['send']>): Promise<Answer> {
    const { status, headers, text } = await this.send(...asked);
    return { status, headers, body: JSON.parse(text) as Answer['body'] };
  }

  /** As {@link ask}, and gives the body as it is: that of `HEAD` is empty. */
  async send(
    who: string | null,
    method: string,
    path: string,
    { body, headers = {} }: Asked = {},
  ): Promise<Pick<Answer, 'status' | 'headers'> & { readonly text: string }> {
    const authorization = who === null ? {} : { authorization: `Bearer ${this.#tokens.get(who) ?? who}` };
    const content = body === undefined ? {} : { 'content-type': 'application/json' };
    const init = {
      method,
      headers: { ...authorization, ...content, ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    };
    const answer = await this.api.request(path, init, peerAt(this.address));
    const answered = { status: answer.status, headers: answer.headers, text: await answer.text() };
    assertDocumented(await this.#readDocument(), method, path, answered);
    return answered;
  }

  /** The same for all: what differs is what is behind the routes. */
  async #readDocument(): Promise<ReadDocument> {
    const answer = async (): Promise<ReadDocument> =>
      (await (await this.api.request('/openapi.json', {}, peerAt('the tests'))).json()) as ReadDocument;
    MemoryApi.#document ??= answer();
    return await MemoryApi.#document;
  }

  #defect(): string {
    return this.defects.map((error) => (error instanceof Error ? String(error.stack) : 'a defect')).join('\n');
  }

  /** Asks, and checks that it is done. */
  async done(who: string, method: string, path: string, asked: Asked = {}): Promise<Answer> {
    const answer = await this.ask(who, method, path, asked);
    assert.ok(answer.status < 300, `${method} ${path}: ${JSON.stringify(answer.body)} ${this.#defect()}`);
    return answer;
  }

  /** Asks, and checks that it is refused with a code. */
  async refused(code: string, ...asked: Parameters<MemoryApi['ask']>): Promise<Answer> {
    const answer = await this.ask(...asked);
    const shown = JSON.stringify(answer.body);
    assert.equal(answer.body['code'], code, `${shown} ${this.#defect()}`);
    assert.equal(answer.headers.get('content-type'), 'application/problem+json');
    assert.equal(answer.status, answer.body['status']);
    return answer;
  }
}

/** Somebody at an address, without a certificate. */
export function peerAt(address: string): HttpBindings & Peer {
  const incoming = new IncomingMessage(new Socket());
  return { incoming, outgoing: new ServerResponse(incoming), certificateNames: [], address, source: address };
}

/** What happened, for tests to set. */
export interface MemoryRecords {
  /** In no order. */
  readonly refusals: readonly RefusalRecord[];
  readonly traffic: readonly TrafficCount[];
  readonly replicas: Replica[];
}

const nothingHappened: MemoryRecords = { refusals: [], traffic: [], replicas: [] };

/** What the API takes of a database, in memory. */
export function memoryApiStore(store: MemoryResourceStore, records = nothingHappened): ApiPorts['store'] {
  return {
    ...{ resources: store, usage: store, audit: store, due: memoryDue(store) },
    directory: memoryDirectory(store),
    traffic: {
      counts: ({ sinceHour, endpointId, consumers }) =>
        records.traffic.filter(
          (count) =>
            count.hour >= sinceHour &&
            (endpointId === undefined || count.endpointId === endpointId) &&
            (consumers === null
              ? count.consumerId === null
              : count.consumerId !== null && (consumers === 'each' || consumers.includes(count.consumerId))),
        ),
    },
    refusals: {
      find: (selection) => ({
        records: each(
          records.refusals
            .filter((record) => isSelected(record, selection))
            .sort((one, other) => (isOlder(one, other) ? 1 : -1))
            .slice(0, selection.limit),
        ),
        countLeftOut: async () => await Promise.resolve(0),
      }),
    },
    once: new MemoryOnceRequests(),
    replicas: {
      storeRevision: async () => await Promise.resolve({ latest: store.revision, underWay: [] }),
      list: async () => await Promise.resolve(records.replicas),
      forget: async (id) => {
        const at = records.replicas.findIndex((each: Replica) => each.id === id);
        if (at >= 0) records.replicas.splice(at, 1);
        return await Promise.resolve(at >= 0);
      },
    },
  };
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  for (const item of items) yield await Promise.resolve(item);
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
