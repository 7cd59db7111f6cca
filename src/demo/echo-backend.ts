import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { LOOPBACK } from '../programs/free-ports.ts';
import { isIdentityName } from '../receive/forged-headers.ts';

const SHOWN_BODY_BYTES = 16 * 1024;

/** What the back end received, as it tells its caller. */
export interface Echo {
  readonly method: string;
  readonly path: string;
  /** Headers that say who calls, by lower-case name. */
  readonly identity: Readonly<Record<string, string>>;
  /** All other headers. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyBytes: number;
  /** As UTF-8; the beginning of a long one. */
  readonly body: string;
}

/** A stand-in for the APIs behind Envoy: answers every request with what it received, as JSON. */
export class EchoBackend implements AsyncDisposable {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(port: number): Promise<EchoBackend> {
    const server = createServer((request, response) => {
      readBody(request).then(
        (body) => {
          response.writeHead(200, { 'content-type': 'application/json' });
          response.end(`${JSON.stringify(echoOf(request, body), null, 2)}\n`);
        },
        () => {
          // The caller went away in the middle: there is nobody to answer.
          response.destroy();
        },
      );
    });
    server.listen(port, LOOPBACK);
    await once(server, 'listening');
    return new EchoBackend(server);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

function echoOf(request: IncomingMessage, body: Buffer): Echo {
  const headers = Object.entries(request.headers).map(
    ([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')] as const,
  );
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    identity: Object.fromEntries(headers.filter(([name]) => isIdentityName(name))),
    headers: Object.fromEntries(headers.filter(([name]) => !isIdentityName(name))),
    bodyBytes: body.length,
    body: body.subarray(0, SHOWN_BODY_BYTES).toString('utf8'),
  };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
