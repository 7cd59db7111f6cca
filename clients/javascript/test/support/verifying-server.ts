import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { appKey, appSecret } from './credentials.ts';

/** What arrived, to the byte. */
export interface Arrived {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/**
 * Verifies signatures over the bytes that arrive, by the rules of the gateway and with none of the client's code: 200
 * and what arrived for a right one, 401 and why for a wrong one.
 */
export class VerifyingServer implements AsyncDisposable {
  readonly #server: Server;
  readonly url: string;
  last: Arrived | null = null;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  }

  static async start(): Promise<VerifyingServer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const made = new VerifyingServer(server);
    server.on('request', (request, response) => {
      void made.#receive(request).then((why) => {
        response.writeHead(why === null ? 200 : 401, { 'content-type': 'text/plain' }).end(why ?? 'verified');
      });
    });
    return made;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #receive(request: IncomingMessage): Promise<string | null> {
    const body = Buffer.concat((await request.toArray()) as Buffer[]);
    const { method = '', url: target = '', headers } = request;
    this.last = { method, target, headers, body };
    try {
      if (headers.authorization?.startsWith('hmac ') === true) verifyHmac(this.last);
      else verifyParameters(this.last);
      return null;
    } catch (error) {
      return String(error);
    }
  }
}

function verifyHmac({ method, target, headers, body }: Arrived): void {
  const grammar = /^hmac appkey="(.+?)", algorithm="hmac-(sha\d+)", headers="(.+?)", signature="(.+?)"$/;
  const [, key, algorithm = '', list = '', signature] = grammar.exec(headers.authorization ?? '') ?? [];
  assert.equal(key, appKey);
  const names = list.split(' ');
  if (body.length > 0) {
    assert.ok(names.includes('digest'), 'the digest is not signed');
    assert.equal(headers['digest'], `SHA-256=${createHash('sha256').update(body).digest('base64')}`, 'digest');
  }
  const lines = names.map((name) => {
    if (name === 'request-line') return `${method} ${target} HTTP/1.1`;
    assert.ok(headers[name] !== undefined, `${name} did not arrive`);
    return `${name}: ${String(headers[name])}`;
  });
  assert.equal(signature, createHmac(algorithm, appSecret).update(lines.join('\n'), 'latin1').digest('base64'), 'hmac');
}

function verifyParameters({ target, headers, body }: Arrived): void {
  const isJson = body.length > 0 && headers['content-type']?.startsWith('application/json') === true;
  if (isJson) {
    const wrapper = JSON.parse(body.toString()) as Record<string, unknown>;
    assert.equal(wrapper['appKey'], appKey);
    const { apiTimestamp, data, sign } = wrapper;
    const text = `apiTimestamp=${String(apiTimestamp)}&appKey=${appKey}&data=${String(data)}${appSecret}`;
    assert.equal(sign, createHash('sha512').update(text).digest('hex'), 'sign');
    return;
  }
  const text = body.length > 0 ? body.toString() : target.slice(target.indexOf('?') + 1);
  const pairs = [...new URLSearchParams(text)].filter(([name]) => name !== 'sign');
  const sorted = pairs.sort(([left], [right]) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
  const signed = `${sorted.map(([name, value]) => `${name}=${value}`).join('&')}${appSecret}`;
  assert.equal(new URLSearchParams(text).get('appKey'), appKey);
  assert.equal(new URLSearchParams(text).get('sign'), createHash('sha512').update(signed).digest('hex'), 'sign');
}
