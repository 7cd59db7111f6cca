import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { createConsole } from '../../src/operators/console/console.ts';
import { memoryJobs } from '../support/console/memory-job-store.ts';
import { systemClock } from '../../src/base/clock.ts';
import { ApiListener } from '../../src/operators/process/listener.ts';
import { divideRequests } from '../../src/operators/process/routes.ts';
import { apiNow, MemoryApi, peerAt } from '../support/api/memory-api.ts';
import type { FuzzTarget } from './fuzz-target.ts';

/** Seeds write it where the token of an admin belongs. */
const TOKEN = 'TOKEN';
/** Then a new store, because inputs that are done make it grow. */
const RUNS_OF_STORE = 5000;
/** Below what an address may send in a minute. */
const RUNS_OF_MINUTE = 300;

const KEYS = ['id', 'name', 'description', 'labels', 'enabled', 'match', 'hosts', 'paths', 'prefix', 'methods'];
const MORE_KEYS = ['authentication', 'accessCondition', 'options', 'trafficControl', 'limits', 'consumerSelector'];
const ODD_KEYS = ['__proto__', '\\u005f_proto__', 'constructor', '$set', '$where', 'match.paths', 'labels.$set', '.'];
const JSON_PIECES = ['{', '}', '[', ']', '"', ':', ',', 'null', 'true', '-1', '1e999', '0.1', '\\u0000', '\\ud800'];

/** An admin of a store with a resource of each kind. */
async function newApi(): Promise<MemoryApi> {
  const memory = new MemoryApi();
  await memory.add('root', 'admin');
  await memory.add('vic', 'viewer', { selector: { team: 'orders' } });
  const make = async (path: string, body: unknown): Promise<unknown> =>
    await memory.done('root', 'POST', path, { body });
  await make('/v1/consumers', { id: 'acme', labels: { team: 'orders' } });
  const match = { paths: [{ prefix: '/orders' }] };
  await make('/v1/endpoints', { id: 'orders', authentication: 'hmac', match });
  await make('/v1/grants', { endpoint: 'orders', consumer: 'acme' });
  await make('/v1/grants', { endpoint: 'orders', consumerSelector: { tier: 'gold' }, priority: 5 });
  await make('/v1/credentials:issue', { consumer: 'acme', method: 'hmac', id: 'acme-hmac' });
  return memory;
}

/** An API that is made anew now and then, at a time that never runs out. */
class LastingApi {
  #memory: MemoryApi | null = null;
  #runs = 0;

  async next(): Promise<MemoryApi> {
    if (this.#memory === null || this.#runs % RUNS_OF_STORE === 0) this.#memory = await newApi();
    this.#memory.now = apiNow + 60 * (Math.floor(this.#runs / RUNS_OF_MINUTE) % 2);
    this.#runs += 1;
    return this.#memory;
  }
}

function checkUnharmed({ defects }: MemoryApi): void {
  const [first] = defects.splice(0);
  assert.equal(first, undefined, first instanceof Error ? first.stack : 'a defect');
  assert.equal(({} as Readonly<Record<string, unknown>>)['role'], undefined, 'a prototype was changed');
}

function documentTarget(): FuzzTarget {
  const lasting = new LastingApi();
  return {
    name: 'management-document',
    words: [...KEYS, ...MORE_KEYS, ...ODD_KEYS].map((key) => `"${key}":`).concat(JSON_PIECES),
    async run(input) {
      const memory = await lasting.next();
      const end = input.indexOf(10);
      const [method = '', path = ''] = input.subarray(0, Math.max(0, end)).toString('latin1').split(' ', 2);
      if (!['POST', 'PUT', 'PATCH', 'DELETE'].includes(method) || !path.startsWith('/')) return 'no request';
      if (!URL.canParse(`http://h${path}`)) return 'no address';
      const headers = {
        authorization: `Bearer ${memory.tokenOf('root')}`,
        'content-type': 'application/json',
        'if-match': '*',
      };
      const request = new Request(`http://h${path}`, {
        method,
        headers,
        body: new Uint8Array(input.subarray(end + 1)),
      });
      const answer = await memory.api.fetch(request, peerAt('192.0.2.1'));
      const { code = '', errors = [] } = (await answer.json()) as {
        readonly code?: string;
        readonly errors?: readonly { readonly pointer: string }[];
      };
      checkUnharmed(memory);
      assert.ok(answer.status < 500, `${method} ${path}: ${String(answer.status)} ${code}`);
      return `${method} ${String(answer.status)} ${code} ${errors[0]?.pointer.replaceAll(/\d+/g, 'N').slice(0, 40) ?? ''}`;
    },
  };
}

/** Everything that the other side sends until it closes. */
async function exchange(port: number, bytes: Buffer): Promise<string> {
  return await new Promise((resolve) => {
    const pieces: Buffer[] = [];
    const socket = connect(port, '127.0.0.1');
    socket.on('data', (piece: Buffer) => pieces.push(piece));
    socket.on('error', () => undefined); // a reset is an end, too
    socket.on('close', () => {
      resolve(Buffer.concat(pieces).toString('latin1'));
    });
    socket.end(bytes);
  });
}

function requestTarget(): FuzzTarget {
  const lasting = new LastingApi();
  let memory: MemoryApi | null = null;
  let listener: ApiListener | null = null;
  const open = async (): Promise<ApiListener> => {
    const current = (): MemoryApi => {
      assert.ok(memory !== null, 'there is an API');
      return memory;
    };
    const clock = { ...systemClock, nowMs: () => current().now * 1000 };
    const pages = createConsole({
      ...{ api: { fetch: async (...given) => await current().api.fetch(...given) }, clock, jobs: memoryJobs(clock) },
      findSession: async () => await Promise.resolve(null),
      observer: {
        answered: () => undefined,
        defect: (error) => current().defects.push(error),
        answerLost: (error) => current().defects.push(error),
      },
    });
    const opened = new ApiListener({
      fetch: divideRequests({ api: (...given) => current().api.fetch(...given), console: pages.fetch }),
      refuse: async (unread) => await current().api.fetch(new Request('http://unread.invalid/'), { unread }),
      ...{ isTrustedAddress: () => true, clock },
    });
    await opened.start({ kind: 'tcp', host: '127.0.0.1', port: 0 }, 0o600);
    return opened;
  };
  return {
    name: 'management-request',
    words: [
      ...[
        'GET ',
        'POST ',
        'PATCH ',
        'OPTIONS ',
        'TRACE ',
        '/v1/',
        'consumers',
        '/livez',
        '/sign-in',
        '?',
        '%',
        '%00',
        '#',
      ],
      ...[
        'http://',
        'u:p@',
        '\\',
        '//',
        '..',
        ' HTTP/1.1',
        ' HTTP/1.0',
        '\r\n',
        '\n',
        ': ',
        'Host: ',
        'h',
        ':80',
        ':99999',
      ],
      ...['1.2.3.4.5', 'a.1', 'xn--', '[::1]', '0x', '\xff', '\0', 'Content-Length: ', 'Transfer-Encoding: chunked'],
      ...[
        'Content-Type: ',
        'application/json',
        'charset=',
        'Content-Encoding: gzip',
        'Expect: ',
        'Cookie: ',
        'Origin: ',
      ],
      ...[
        'Sec-Fetch-Site: ',
        'X-Envoy-External-Address: ',
        `Authorization: Bearer ${TOKEN}`,
        'If-Match: *',
        '{}',
        '0\r\n',
      ],
      ...[
        'Idempotency-Key: a',
        'Connection: Upgrade',
        'Upgrade: websocket',
        'label=',
        'reason=',
        'cursor=',
        'dryRun=true',
      ],
    ],
    async run(input) {
      memory = await lasting.next();
      listener ??= await open();
      const address = listener.address();
      assert.ok(address.kind === 'tcp');
      const text = input.toString('latin1').replaceAll(TOKEN, memory.tokenOf('root'));
      const answered = await exchange(address.port, Buffer.from(text, 'latin1'));
      checkUnharmed(memory);
      const heads = [...answered.matchAll(/^HTTP\/1\.1 (\d{3}) [^]*?\r\n\r\n/gm)];
      for (const [head, status = ''] of heads) {
        assert.ok(status < '500', head);
        if (status !== '100') assert.match(head, /^x-request-id: /im, head);
      }
      return heads.map(([, status]) => status).join(' ') || 'closed';
    },
    async stop() {
      await listener?.[Symbol.asyncDispose]();
      listener = null;
    },
  };
}

/** The management API: documents that are sent to it, and bytes that are sent to its listener. */
export const managementTargets: readonly FuzzTarget[] = [documentTarget(), requestTarget()];
