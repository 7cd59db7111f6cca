import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import type { LookupFunction } from 'node:net';
import { FetchFailure, type FetchFailureReason } from '../../../src/gateway/issuer-keys/fetch-failure.ts';
import { fetchJwks, type FetchPorts } from '../../../src/gateway/issuer-keys/fetch-jwks.ts';
import { MAX_JWKS_BYTES } from '../../../src/model/bounds.ts';
import { makeCertificate } from '../../support/grpc/certificate.ts';
import { issuerKey } from '../../support/jwt/issuer-token.ts';
import { jwksAuthority, jwksOf, type JwksServer, publishing, startJwksServer } from '../../support/jwt/jwks-server.ts';
import { partnerKey } from '../../support/oauth2/client-assertion.ts';

const trusted: FetchPorts = { privateHosts: new Set(['localhost']), authorities: () => jwksAuthority.cert };
const never = new AbortController().signal;

async function assertFails(
  uri: string,
  reason: FetchFailureReason,
  message: RegExp,
  ports: Partial<FetchPorts> = {},
): Promise<void> {
  await assert.rejects(fetchJwks(uri, { ...trusted, ...ports }, never), (error) => {
    assert.ok(error instanceof FetchFailure, String(error));
    assert.match(error.message, message);
    assert.doesNotMatch(error.message, /secret-of/);
    assert.equal(error.reason, reason);
    return true;
  });
}

describe('a host that publishes the keys of an issuer', () => {
  let host: JwksServer;
  before(async () => {
    host = await startJwksServer();
  });
  after(async () => {
    await host[Symbol.asyncDispose]();
  });

  const fetched = async (answer: RequestListener) => {
    host.answer = answer;
    return await fetchJwks(host.uri, trusted, never);
  };

  it('gives keys, and says for how long they are fresh', async () => {
    const { keys, faulty, lifeSeconds } = await fetched(
      publishing(jwksOf([issuerKey(), issuerKey('RS256')]), { 'cache-control': 'public, max-age=3600' }),
    );
    assert.deepEqual([keys.map(({ kid }) => kid), faulty, lifeSeconds], [['p-256', 'rsa'], 0, 3600]);
  });

  it('gives those that can be used, whatever type it says the answer has', async () => {
    const { jwk } = partnerKey('p-256').publicKey;
    const set = {
      keys: [...jwksOf().keys, { ...jwk, use: 'enc' }, { kty: 'RSA', n: 'AQ', e: 'AQAB' }],
    };
    const { keys, faulty } = await fetched(publishing(set, { 'content-type': 'text/html' }));
    assert.deepEqual([keys.length, faulty], [1, 1]);
  });

  it('is not followed elsewhere', async () => {
    const other = await startJwksServer();
    for (const status of [301, 302, 303, 307, 308]) {
      host.answer = (_request, response) => response.writeHead(status, { location: other.uri }).end();
      await assertFails(host.uri, 'redirect', new RegExp(`answers ${String(status)}; redirects are not followed`));
    }
    assert.deepEqual(other.asked, []);
    await other[Symbol.asyncDispose]();
  });

  it('has to answer 200', async () => {
    for (const status of [204, 206, 404, 500]) {
      host.answer = (_request, response) => response.writeHead(status).end(JSON.stringify(jwksOf()));
      await assertFails(host.uri, 'status', new RegExp(`answers ${String(status)} instead of 200`));
    }
  });

  it('is left when it sends too much, also without an end', async () => {
    let sent = 0;
    host.answer = (_request, response) => {
      response.writeHead(200);
      const piece = Buffer.alloc(16_384, ' ');
      const send = (): void => {
        while (!response.destroyed && sent < 64 * MAX_JWKS_BYTES) {
          sent += piece.length;
          if (!response.write(piece)) return void response.once('drain', send);
        }
        response.end();
      };
      send();
    };
    await assertFails(host.uri, 'size', /more than 262144 bytes/);
    assert.ok(sent < 64 * MAX_JWKS_BYTES, String(sent));
  });

  it('is left when it is slow, wherever', async () => {
    const soon = { deadlineMs: 200 };
    host.answer = () => undefined;
    await assertFails(host.uri, 'timeout', /did not answer in time/, soon);
    host.answer = (_request, response) => void response.writeHead(200).write('{"keys":[');
    await assertFails(host.uri, 'timeout', /did not answer in time/, soon);
    const deaf: LookupFunction = () => undefined;
    await assertFails(host.uri, 'timeout', /did not answer in time/, { ...soon, lookup: deaf });
  });

  it('is left when it only says that it will answer', async () => {
    host.answer = (_request, response) => {
      for (let count = 0; count < 20; count += 1) response.writeProcessing();
    };
    await assertFails(host.uri, 'content', /interim answers only/);
  });

  it('is refused what is no set of public keys', async () => {
    const [key] = jwksOf().keys;
    const cases: readonly (readonly [string | object, RegExp])[] = [
      ['', /no JSON/],
      ['<html>secret-of-the-body</html>', /no JSON/],
      ['{"keys":[],"keys":[]}', /names something twice/],
      [[], /is no JWK set/],
      [{ keys: {} }, /has no list "keys"/],
      [{ keys: [] }, /no key that can verify tokens/],
      [{ keys: [{ kty: 'oct', k: 'c2VjcmV0' }] }, /shared secret/],
      [{ keys: [{ ...key, d: 'secret-of-the-key' }] }, /private key/],
      [{ keys: Array.from({ length: 65 }, () => key) }, /more than 64 keys/],
      ['['.repeat(100_000), /no JSON/],
    ];
    for (const [document, message] of cases) {
      host.answer = publishing(document);
      await assertFails(host.uri, 'content', message);
    }
    host.answer = publishing(jwksOf(), { 'content-encoding': 'gzip' });
    await assertFails(host.uri, 'content', /compressed/);
  });

  it('is left when it breaks off', async () => {
    host.answer = (request) => request.socket.destroy();
    await assertFails(host.uri, 'connection', /cannot be reached/);
    host.answer = (request, response) => {
      response.writeHead(200, { 'content-length': '1000' }).write('{', () => request.socket.destroy());
    };
    await assertFails(host.uri, 'connection', /cannot be reached/);
    host.answer = (request) => void request.socket.end('no answer of HTTP\r\n\r\n');
    await assertFails(host.uri, 'connection', /cannot be reached/);
  });

  it('is asked no more when the gateway stops', async () => {
    const stop = new AbortController();
    host.answer = () => {
      stop.abort();
    };
    await assert.rejects(fetchJwks(host.uri, trusted, stop.signal));
  });
});

describe('the address of a host', () => {
  it('must be public, unless the host is named', async () => {
    const host = await startJwksServer();
    const uri = host.uri;
    const unnamed = { privateHosts: new Set<string>() };
    await assertFails(uri, 'address', /POSTERN_JWKS_PRIVATE_HOSTS/, unnamed);
    await assertFails(uri.replace('localhost', '127.0.0.1'), 'address', /POSTERN_JWKS_PRIVATE_HOSTS/);
    await assertFails(uri.replace('localhost', '[::1]'), 'address', /POSTERN_JWKS_PRIVATE_HOSTS/);
    await assertFails(uri.replace('localhost', '[::ffff:127.0.0.1]'), 'address', /POSTERN_JWKS_PRIVATE_HOSTS/);
    await assertFails(uri.replace('localhost', '2130706433'), 'address', /POSTERN_JWKS_PRIVATE_HOSTS/);
    await assertFails('http://localhost/keys', 'address', /https/);
    assert.deepEqual(host.asked, []);
    await host[Symbol.asyncDispose]();
  });

  it('is that of the answer that is connected to, and every one of it counts', async () => {
    const host = await startJwksServer();
    const uri = host.uri.replace('localhost', 'keys.example');
    for (const addresses of [['127.0.0.1'], ['8.8.8.8', '10.0.0.1'], ['fd00::1'], []]) {
      const lookup: LookupFunction = (_name, _options, callback) => {
        const family = (address: string) => (address.includes(':') ? 6 : 4);
        callback(
          null,
          addresses.map((address) => ({ address, family: family(address) })),
        );
      };
      await assertFails(uri, 'address', /POSTERN_JWKS_PRIVATE_HOSTS/, { lookup });
    }
    assert.deepEqual(host.asked, []);
    await host[Symbol.asyncDispose]();
  });

  it('has to resolve, and somebody to listen there', async () => {
    const lookup: LookupFunction = (_name, _options, callback) => {
      callback(Object.assign(new Error('secret-of-the-resolver'), { code: 'ENOTFOUND' }), []);
    };
    await assertFails('https://keys.example/', 'connection', /ENOTFOUND/, { lookup });
    const gone = await startJwksServer();
    await gone[Symbol.asyncDispose]();
    await assertFails(gone.uri, 'connection', /ECONNREFUSED/);
  });
});

describe('the certificate of a host', () => {
  it('must be by an authority that is trusted, for its name, and in time', async () => {
    const stranger = makeCertificate('Another authority');
    for (const [certificate, message] of [
      [makeCertificate('localhost', stranger), /signed by none of the authorities/],
      [makeCertificate('localhost'), /signed by none of the authorities/],
      [makeCertificate('localhost', jwksAuthority, { names: ['keys.example'] }), /different name/],
      [makeCertificate('localhost', jwksAuthority, { notAfter: new Date('2021-01-01') }), /expired/],
    ] as const) {
      const host = await startJwksServer(publishing(), certificate);
      await assertFails(host.uri, 'tls', message);
      assert.deepEqual(host.asked, []);
      await host[Symbol.asyncDispose]();
    }
  });
});
