import { connect, type Socket } from 'node:net';

/** Reads of the management API at a steady rate. */
export interface Reading {
  readonly port: number;
  readonly token: string;
  readonly perSecond: number;
  /** The path of the next request. */
  readonly next: () => string;
}

/** What came of them. */
export interface Read {
  readonly perSecond: number;
  /** Answers by their status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** From when a request was due to its answer. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Each comes from an address of its own: the API slows one address down that asks more than 600 times a minute. */
const CONNECTIONS = 200;
const TICK_MS = 2;

/** Begins to read, on connections that stay open. `stop` ends it and gives what was seen. */
export function startReading({ port, token, perSecond, next }: Reading): { readonly stop: () => Promise<Read> } {
  const idle = Array.from({ length: CONNECTIONS }, (_, at) => new Connection(port, at));
  const all = [...idle];
  const tookMs: number[] = [];
  const statuses: Record<string, number> = {};
  const underWay = new Set<Promise<void>>();
  const startMs = performance.now();
  let sent = 0;
  const ask = async (connection: Connection, dueMs: number): Promise<void> => {
    const status = await connection.get(next(), token);
    tookMs.push(performance.now() - dueMs);
    statuses[status] = (statuses[status] ?? 0) + 1;
    idle.push(connection);
  };
  const ticking = setInterval(() => {
    const due = ((performance.now() - startMs) * perSecond) / 1000;
    while (sent < due) {
      const connection = idle.shift();
      if (connection === undefined) return;
      const running = ask(connection, startMs + (sent * 1000) / perSecond).finally(() => underWay.delete(running));
      underWay.add(running);
      sent += 1;
    }
  }, TICK_MS);
  return {
    stop: async () => {
      clearInterval(ticking);
      const seconds = (performance.now() - startMs) / 1000;
      await Promise.all(underWay);
      for (const connection of all) connection.end();
      tookMs.sort((a, b) => a - b);
      const at = (share: number): number => tookMs[Math.floor((tookMs.length - 1) * share)] ?? NaN;
      return { perSecond: tookMs.length / seconds, statuses, p50Ms: at(0.5), p99Ms: at(0.99) };
    },
  };
}

/** One connection of HTTP/1.1, on which one request is made after the other; answers have a length. */
class Connection {
  readonly #socket: Socket;
  #received = '';
  #answered: ((status: string) => void) | null = null;

  constructor(port: number, at: number) {
    this.#socket = connect({ port, host: '127.0.0.1', localAddress: `127.2.0.${String(at + 1)}` });
    this.#socket.setNoDelay(true);
    this.#socket.setEncoding('latin1');
    this.#socket.on('data', (piece: string) => {
      this.#received += piece;
      this.#read();
    });
    this.#socket.on('error', () => {
      this.#answer('no answer');
    });
    this.#socket.on('close', () => {
      this.#answer('no answer');
    });
  }

  async get(path: string, token: string): Promise<string> {
    return await new Promise((resolve) => {
      this.#answered = resolve;
      this.#socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    });
  }

  end(): void {
    this.#socket.destroy();
  }

  #read(): void {
    const end = this.#received.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = this.#received.slice(0, end);
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1]);
    if (!Number.isInteger(length)) this.#answer('an answer without a length');
    else if (this.#received.length >= end + 4 + length) this.#answer(head.slice(9, 12));
  }

  #answer(status: string): void {
    this.#received = '';
    this.#answered?.(status);
    this.#answered = null;
  }
}
