import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

/** A provider that answers what a test wants, with a key of its own. */
export interface HostileProvider extends AsyncDisposable {
  readonly issuer: string;
  /** What the next ID token differs in. */
  claims: JWTPayload;
  /** Signs with another key than the one that it publishes. */
  isForging: boolean;
  /** Gives this instead of an answer at the token endpoint: a status, or nothing at all. */
  tokenAnswer: number | 'silence' | null;
  /** Bodies that came to the token endpoint. */
  readonly redeemed: URLSearchParams[];
  /** How often its keys were asked for. */
  keysAsked: number;
  /** What its keys are answered with: a status. */
  keysStatus: number;
  /** An ID token with {@link claims}; with another header, such as another `typ`, where one is given. */
  idToken(header?: Readonly<Record<string, string>>): Promise<string>;
}

/** Starts one whose ID tokens are for this client. */
export async function startHostileProvider(clientId: string): Promise<HostileProvider> {
  const [own, other] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')]);
  const jwk = { ...(await exportJWK(own.publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' };
  const server: Server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const hostile: HostileProvider = {
    ...{ issuer, claims: {}, isForging: false, tokenAnswer: null, redeemed: [], keysAsked: 0, keysStatus: 200 },
    idToken: (header) => idToken(header),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const idToken = async (header: Readonly<Record<string, string>> = {}): Promise<string> => {
    const now = Math.floor(Date.now() / 1000);
    const usual = { iss: issuer, aud: clientId, sub: 'ada', iat: now, exp: now + 60 };
    return await new SignJWT({ ...usual, ...hostile.claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'k1', ...header })
      .sign(hostile.isForging ? other.privateKey : own.privateKey);
  };
  const documents: Readonly<Record<string, unknown>> = {
    '/.well-known/openid-configuration': {
      ...{ issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` },
      ...{ jwks_uri: `${issuer}/jwks`, response_types_supported: ['code'], subject_types_supported: ['public'] },
      id_token_signing_alg_values_supported: ['RS256'],
    },
    '/jwks': { keys: [jwk] },
  };
  server.on('request', (request, response) => {
    const send = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (request.url === '/jwks') {
      hostile.keysAsked += 1;
      send(hostile.keysStatus, documents['/jwks']);
      return;
    }
    if (request.url !== '/token') {
      send(200, documents[request.url ?? '']);
      return;
    }
    let text = '';
    request.on('data', (piece: Buffer) => (text += piece.toString()));
    request.on('end', () => {
      hostile.redeemed.push(new URLSearchParams(text));
      const { tokenAnswer } = hostile;
      if (tokenAnswer === 'silence') return;
      if (tokenAnswer !== null) send(tokenAnswer, { error: 'invalid_grant' });
      else
        void idToken().then((id_token) => {
          send(200, { access_token: 'a', token_type: 'bearer', id_token });
        });
    });
  });
  return hostile;
}
