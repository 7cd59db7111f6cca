import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { call, createClient, newMark, type Subject } from '../../support/clients/calls.ts';
import { type Partner } from '../../support/clients/partner-document.ts';
import { assertNoSecretLeaked } from './secrets.ts';

/** What a log must not get: a terminal or a reader of lines would act on it. */
const CONTROL = /[\0-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
const TRICKS = '\u0007\u001b]0;x\u0007\r\nlevel=info \u009b31m \u202e';

/** Every way in which a server may repeat the App Secret, and the pair that it stands in. */
function repeated({ appKey, appSecret }: Partner['oauth2']): readonly string[] {
  const pair = [appKey, appSecret].map((part) => encodeURIComponent(part).replaceAll('%20', '+')).join(':');
  return [appSecret, `${appKey}:${appSecret}`, pair].flatMap((text) => {
    const bytes = Buffer.from(text);
    const hex = bytes.toString('hex');
    const lowerCase = encodeURIComponent(text).replace(/%../g, (escape) => escape.toLowerCase());
    return [
      ...[text, encodeURIComponent(text), lowerCase, hex, hex.toUpperCase(), JSON.stringify(text).slice(1, -1)],
      ...[bytes.toString('base64'), bytes.toString('base64url'), `Basic ${bytes.toString('base64')}`],
    ];
  });
}

/** Whole answers, as bytes of HTTP/1.1, in which a text stands wherever a client might quote it. */
const answers: Readonly<Record<string, (text: string) => string>> = {
  'its error': (text) => json(400, { error: text }),
  'its error_description': (text) => json(401, { error: 'invalid_client', error_description: `no: ${text} ${TRICKS}` }),
  'a token of another type': (text) => json(200, { access_token: 'a', token_type: text, expires_in: text }),
  'an access_token that is none': (text) => json(200, { access_token: `${text} ${TRICKS}`, token_type: 'bearer' }),
  'JSON that ends early': (text) => answer(200, `{"error":"${text} ${TRICKS}`),
  'its reason and headers': (text) =>
    `HTTP/1.1 302 ${text}\r\nLocation: http://127.0.0.1:1/${text}\r\nX-Repeated: ${text}\r\nContent-Length: 0\r\n\r\n`,
  'a status line that is none': (text) => `HTTP/1.1 ${text}\r\n\r\n`,
  'a header that is none': (text) => `HTTP/1.1 200 OK\r\n${text}\r\n\r\n`,
  'a length that is none': (text) => `HTTP/1.1 200 OK\r\nContent-Length: ${text}\r\n\r\n`,
  'a chunk that is none': (text) => `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${text}\r\n`,
};

function json(status: number, content: object): string {
  return answer(status, JSON.stringify(content));
}

function answer(status: number, body: string): string {
  const length = String(Buffer.byteLength(body));
  return `HTTP/1.1 ${String(status)} No\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;
}

/** A token URL that repeats what it was asked with, in every encoding, appears in nothing that a client says. */
export function hostileCases(subject: () => Subject): void {
  describe('a token URL that repeats the App Secret', () => {
    let server: Server;
    let next = '';
    const sockets = new Set<Socket>();
    before(async () => {
      server = createServer((socket) => {
        sockets.add(socket);
        socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
        socket.once('data', () => socket.end(next));
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
    });
    after(async () => {
      server.close();
      // Some libraries keep a connection that the server has ended.
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
    });

    for (const [where, write] of Object.entries(answers)) {
      it(`is quoted in no error: in ${where}`, async () => {
        const { driver, partner } = subject();
        const { port } = server.address() as AddressInfo;
        const tokenUrl = `http://127.0.0.1:${String(port)}/token`;
        const client = await createClient(subject(), 'oauth2', { tokenUrl, retries: 0 });
        for (const text of repeated(partner.oauth2)) {
          next = write(text);
          const sent = await call(subject(), client, 'bearer', newMark());
          assert.ok('error' in sent, JSON.stringify(sent));
          assert.notEqual(sent.error, '');
          assertNoSecretLeaked(sent.error, [partner]);
          assert.doesNotMatch(sent.error, CONTROL);
        }
        const text = await driver.print(client);
        assertNoSecretLeaked(text, [partner]);
      });
    }
  });
}
