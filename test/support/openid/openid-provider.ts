import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { type ClientMetadata } from 'oidc-provider';

/** What a provider tells of whom. */
export interface ProvidedAccount {
  readonly id: string;
  readonly email?: string;
  readonly emailVerified?: boolean;
}

/** An OpenID Connect provider on loopback, at which a person is signed in already and agrees to everything. */
export interface RunningProvider extends AsyncDisposable {
  readonly issuer: string;
  /** Who comes next. */
  account: ProvidedAccount;
  /** What the next person answers: no. */
  isDenying: boolean;
}

/** Starts one that has a single client, whose secret is `secret`. */
export async function startOpenIdProvider(clientId: string, redirectUri: string): Promise<RunningProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const accounts = new Map<string, ProvidedAccount>();
  const client: ClientMetadata = { client_id: clientId, client_secret: 'secret', redirect_uris: [redirectUri] };
  const provider = new Provider(issuer, {
    clients: [client],
    cookies: { keys: ['of the tests'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    findAccount: (_context, id) => {
      const { email, emailVerified } = accounts.get(id) ?? { id };
      return { accountId: id, claims: () => ({ sub: id, email, email_verified: emailVerified }) };
    },
  });
  const running: RunningProvider = {
    issuer,
    account: { id: 'nobody' },
    isDenying: false,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const interact = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { prompt, params } = await provider.interactionDetails(request, response);
    const { account } = running;
    accounts.set(account.id, account);
    if (running.isDenying) {
      await provider.interactionFinished(request, response, { error: 'access_denied' });
    } else if (prompt.name === 'login') {
      await provider.interactionFinished(request, response, { login: { accountId: account.id } });
    } else {
      const grant = new provider.Grant({ accountId: account.id, clientId: String(params['client_id']) });
      grant.addOIDCScope('openid email profile');
      const consent = { grantId: await grant.save() };
      await provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
    }
  };
  const answer = provider.callback();
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (request.url?.startsWith('/interaction/') !== true) void answer(request, response);
    else
      interact(request, response).catch((error: unknown) => {
        assert.fail(String(error));
      });
  });
  return running;
}
