import { connect } from 'node:http2';
import { setTimeout as pause } from 'node:timers/promises';
import { encodeHttp1, Http1Connection, type Http1Request } from '../http/http1-client.ts';

/**
 * Requests that are made one after the other on connections that stay open, until it is disposed. Each caller rests a
 * moment after each answer: without it, callers take all of a machine from what they wait for.
 */
export interface Traffic extends AsyncDisposable {
  /** How many were answered so far, by status; a connection that breaks counts as its message. */
  readonly outcomes: ReadonlyMap<string, number>;
  /** Resolves when this many more were answered. */
  more(count: number): Promise<void>;
}

const REST_MS = 10;

/** Starts traffic to Envoy: over two connections of HTTP/1.1, and one of HTTP/2. */
export async function startTraffic(port: number, request: Pick<Http1Request, 'target' | 'headers'>): Promise<Traffic> {
  const outcomes = new Map<string, number>();
  const waiting: { readonly total: number; readonly resolve: () => void }[] = [];
  let total = 0;
  const stopping = new AbortController();
  const isStopping = (): boolean => stopping.signal.aborted;
  const count = (outcome: string): void => {
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    total += 1;
    for (const { total: wanted, resolve } of waiting) if (total >= wanted) resolve();
  };
  const run = async (open: () => Promise<Caller>): Promise<void> => {
    while (!isStopping()) {
      try {
        await using caller = await open();
        while (!isStopping()) {
          count(String(await caller.call()));
          await pause(REST_MS);
        }
      } catch (error) {
        count(error instanceof Error ? error.message : String(error));
        await pause(REST_MS);
      }
    }
  };
  const running = [
    run(() => openHttp1(port, request)),
    run(() => openHttp1(port, request)),
    run(() => openHttp2(port, request)),
  ];
  const traffic: Traffic = {
    outcomes,
    more: (more) =>
      new Promise((resolve) => {
        waiting.push({ total: total + more, resolve });
      }),
    [Symbol.asyncDispose]: async () => {
      stopping.abort();
      await Promise.all(running);
    },
  };
  await traffic.more(running.length);
  return traffic;
}

interface Caller extends AsyncDisposable {
  /** Makes one request, and gives the status of its answer. */
  call(): Promise<number>;
}

async function openHttp1(port: number, request: Http1Request): Promise<Caller> {
  const connection = await Http1Connection.open(port);
  const bytes = encodeHttp1(request);
  return {
    call: async () => {
      connection.write(bytes);
      return (await connection.answer()).status;
    },
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
}

function openHttp2(port: number, { target = '/', headers = [] }: Http1Request): Promise<Caller> {
  const session = connect(`http://127.0.0.1:${String(port)}`);
  // The session's failure shows at its streams, too.
  session.on('error', () => undefined);
  return Promise.resolve({
    call: () =>
      new Promise<number>((resolve, reject) => {
        let status: number | undefined;
        const stream = session.request({
          ':path': target,
          ':authority': 'api.example.com',
          ...Object.fromEntries(headers),
        });
        stream.on('response', (fields) => (status = fields[':status']));
        stream.on('error', reject);
        stream.on('close', () => {
          if (status === undefined) reject(new Error('the stream was closed without an answer'));
          else resolve(status);
        });
        stream.resume();
      }),
    [Symbol.asyncDispose]: () => {
      session.destroy();
      return Promise.resolve();
    },
  });
}
