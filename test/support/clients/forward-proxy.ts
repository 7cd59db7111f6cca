import { once } from 'node:events';
import { createServer, type IncomingMessage, request as connectTo, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** A plain forward proxy (RFC 9112 §3.2.2): whatever a request names, it goes to one port of this machine. */
export interface ForwardProxy extends AsyncDisposable {
  readonly url: string;
  /** Every request line so far that holds this text; of tunnels none but `CONNECT`. */
  readonly received: (mark: string) => readonly string[];
}

/** Starts one. It takes the absolute form only, and sends on `Host` as that names it, or opens a tunnel. */
export async function startForwardProxy(targetPort: number): Promise<ForwardProxy> {
  const lines: string[] = [];
  const sockets = new Set<Socket>();
  const forward = (request: IncomingMessage, response: ServerResponse): void => {
    const { method = '', url = '' } = request;
    lines.push(`${method} ${url}`);
    const [, authority, target = ''] = /^http:\/\/([^/?#]*)(.*)$/i.exec(url) ?? [];
    if (authority === undefined) {
      response.writeHead(400).end('a proxy takes the absolute form');
      return;
    }
    const host = authority.slice(authority.lastIndexOf('@') + 1);
    const headers = request.rawHeaders.map((each, index, all) =>
      index % 2 === 1 && all[index - 1]?.toLowerCase() === 'host' ? host : each,
    );
    const path = target.startsWith('/') ? target : `/${target}`;
    const onward = connectTo(
      { port: targetPort, host: '127.0.0.1', method, path, headers, setHost: false },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
        answer.pipe(response);
      },
    );
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  };
  const server = createServer(forward);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  });
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    lines.push(`CONNECT ${request.url ?? ''}`);
    const target = connect(targetPort, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(target).pipe(socket);
    });
    target.on('error', () => undefined).once('close', () => socket.destroy());
    socket.once('close', () => target.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    received: (mark) => lines.filter((line) => line.includes(mark)),
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
