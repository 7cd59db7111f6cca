import { once } from 'node:events';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { type AddressInfo, type Socket } from 'node:net';
import { type Certified } from '../grpc/certificate.ts';
import { type Fields, fieldsOf } from '../http/http-message.ts';

/** What somebody else's server got. */
export interface ForeignRequest {
  readonly target: string;
  readonly headers: Fields;
  readonly body: Buffer;
  /** The number of the connection that it came on. */
  readonly connection: number;
}

/** What somebody else's server answers; it has no say in the length. */
export interface ForeignAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A server that is not the gateway: where redirects lead, or an address of tokens that is none. */
export interface OtherOrigin extends AsyncDisposable {
  /** By address: another port than the gateway, on its host. */
  readonly url: string;
  /** By name: another host than the gateway. */
  readonly urlByName: string;
  /** Requests with this text in their targets. */
  readonly received: (mark: string) => readonly ForeignRequest[];
  /**
   * What requests with this text in their targets are answered, 200 without it; with null the connection breaks once
   * the request is there.
   */
  readonly answer: (mark: string, make: (request: ForeignRequest) => ForeignAnswer | null) => void;
}

/** Starts a server that speaks HTTP/1.1 and HTTP/2 over TLS. */
export async function startOtherOrigin({ cert, key }: Certified): Promise<OtherOrigin> {
  const requests: ForeignRequest[] = [];
  const answers = new Map<string, (request: ForeignRequest) => ForeignAnswer | null>();
  const sockets = new Set<Socket>();
  const connections = new Map<number | undefined, number>();
  const serve = async (request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> => {
    const pieces: Buffer[] = [];
    const connection = connections.get(request.socket.remotePort) ?? 0;
    for await (const piece of request) pieces.push(piece as Buffer);
    const headers = fieldsOf(request.rawHeaders);
    const received = { target: request.url, headers, body: Buffer.concat(pieces), connection };
    requests.push(received);
    const make = [...answers].find(([mark]) => received.target.includes(mark))?.[1];
    const answer = make === undefined ? { status: 200 } : make(received);
    if (answer === null) {
      request.socket.destroy();
      return;
    }
    const { status, headers: fields = {}, body = '' }: ForeignAnswer = answer;
    response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...fields });
    response.end(body);
  };
  const server = createSecureServer({ cert, key, allowHTTP1: true }, (request, response) => {
    // A caller that went away does not wait for an answer.
    serve(request, response).catch(() => request.destroy());
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    connections.set(socket.remotePort, connections.size + 1);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${String(port)}`,
    urlByName: `https://localhost:${String(port)}`,
    received: (mark) => requests.filter(({ target }) => target.includes(mark)),
    answer: (mark, make) => {
      answers.set(mark, make);
    },
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
