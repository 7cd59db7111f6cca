import { createServer as createPlainServer } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import Provider from 'oidc-provider';
import { makeCertificate } from '../grpc/certificate.ts';
import { send } from '../http/http-client.ts';
import { AUDIENCE } from './issuer-token.ts';
import { jwksAuthority } from './jwks-server.ts';

const CLIENT = { id: 'acme-batch', secret: 'the-secret-of-a-client-at-its-own-provider' };

/** An OpenID Connect provider of a partner, over TLS on loopback, that issues access tokens as JWTs. */
export interface TokenProvider extends AsyncDisposable {
  readonly issuer: string;
  readonly jwksUri: string;
  /** A new access token of the client `acme-batch` for {@link AUDIENCE}. */
  issue(): Promise<string>;
}

/** Starts one. */
export async function startTokenProvider(): Promise<TokenProvider> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  const key = { ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig', kid: 'of-the-provider' };
  const certificate = makeCertificate('localhost', jwksAuthority);
  const server = createServer({ cert: certificate.cert, key: certificate.key });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const issuer = `https://localhost:${String(port)}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    cookies: { keys: ['of the tests'] },
    jwks: { keys: [key] },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => AUDIENCE,
        getResourceServerInfo: () => ({
          scope: 'shipments',
          audience: AUDIENCE,
          accessTokenFormat: 'jwt',
          accessTokenTTL: 600,
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
  });
  const handle = provider.callback();
  server.on('request', (request, response) => void handle(request, response));
  // Its clients need no TLS here: only the gateway's way to the keys is of interest.
  const plain = createPlainServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
  return {
    issuer,
    jwksUri: `${issuer}/jwks`,
    issue: async () => {
      const credentials = Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString('base64');
      const answer = await send('HTTP/1.1', (plain.address() as AddressInfo).port, {
        method: 'POST',
        target: '/token',
        headers: [
          ['content-type', 'application/x-www-form-urlencoded'],
          ['authorization', `Basic ${credentials}`],
        ],
        body: Buffer.from('grant_type=client_credentials'),
      });
      return (JSON.parse(answer.body.toString()) as { readonly access_token: string }).access_token;
    },
    [Symbol.asyncDispose]: async () => {
      for (const each of [server, plain]) {
        each.closeAllConnections();
        await new Promise((resolve) => each.close(resolve));
      }
    },
  };
}
