import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import type { ProvidedAccount } from './openid-provider.ts';

/** How a provider with the device flow (RFC 8628) behaves; a test may change it. */
interface Manners {
  /** Seconds that it asks clients to wait between two questions. */
  interval: number;
  /** Seconds until a code ends. */
  codeSeconds: number;
  /** What the next question at the token endpoint is answered with, in place of its own answer. */
  nextError: string | null;
  /** Whether it answers 503 to everything. */
  isDown: boolean;
}

/** An OpenID Connect provider on loopback with the device flow, refresh tokens that work once, and revocation. */
export interface DeviceProvider extends AsyncDisposable {
  readonly issuer: string;
  readonly manners: Manners;
  /** Answers of the token endpoint, and what was sent to it. */
  readonly asked: readonly { readonly grant: string; readonly status: number }[];
  /** Every token that it gave. */
  readonly tokens: readonly string[];
  /** The person enters the code, signs in with an account, and says yes. */
  approve(userCode: string, account: ProvidedAccount): Promise<void>;
  /** The person says no. */
  deny(userCode: string): Promise<void>;
  /** Whether a refresh token can still be used. */
  isLive(refreshToken: string): Promise<boolean>;
}

/** Starts one that has a single public client. */
export async function startDeviceProvider(clientId: string): Promise<DeviceProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const manners: Manners = { interval: 0.05, codeSeconds: 60, nextError: null, isDown: false };
  const accounts = new Map<string, ProvidedAccount>();
  const asked: { grant: string; status: number }[] = [];
  const tokens: string[] = [];
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        token_endpoint_auth_method: 'none',
        application_type: 'native',
        grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
        redirect_uris: [],
        response_types: [],
      },
    ],
    cookies: { keys: ['of the tests'] },
    features: {
      devInteractions: { enabled: false },
      deviceFlow: { enabled: true },
      revocation: { enabled: true, allowedPolicy: () => Promise.resolve(true) },
    },
    claims: { openid: ['sub'], email: ['email', 'email_verified'] },
    ttl: { DeviceCode: () => manners.codeSeconds },
    issueRefreshToken: () => Promise.resolve(true),
    rotateRefreshToken: true,
    findAccount: (_context, id) => {
      const { email, emailVerified } = accounts.get(id) ?? { id };
      return { accountId: id, claims: () => ({ sub: id, email, email_verified: emailVerified }) };
    },
  });
  provider.use(async (context, next) => {
    if (manners.isDown) {
      context.status = 503;
      return;
    }
    await next();
    const { body, path } = context as { body: unknown; path: string };
    if (path === '/device/auth') Object.assign(body as object, { interval: manners.interval });
    if (path !== '/token') return;
    const { nextError } = manners;
    if (nextError !== null) {
      manners.nextError = null;
      context.status = 400;
      context.body = { error: nextError };
    }
    const parameters = (context as { oidc?: { params?: Record<string, string> } }).oidc?.params ?? {};
    asked.push({ grant: parameters['grant_type'] ?? '', status: context.status });
    for (const name of ['id_token', 'access_token', 'refresh_token']) {
      const value = (body as Record<string, unknown>)[name];
      if (typeof value === 'string') tokens.push(value);
    }
  });
  const codeOf = async (userCode: string): Promise<InstanceType<Provider['DeviceCode']>> => {
    const found = await provider.DeviceCode.findByUserCode(userCode.replaceAll(/\W/g, ''));
    assert.ok(found !== undefined, `no code ${userCode}`);
    return found;
  };
  const handle = provider.callback();
  server.on('request', (request, response) => void handle(request, response));
  return {
    ...{ issuer, manners, asked, tokens },
    approve: async (userCode, account) => {
      accounts.set(account.id, account);
      const code = await codeOf(userCode);
      const scope = String((code.params as Record<string, unknown>)['scope']);
      const grant = new provider.Grant({ accountId: account.id, clientId });
      grant.addOIDCScope(scope);
      Object.assign(code, { accountId: account.id, grantId: await grant.save(), scope, authTime: epoch() });
      await code.save();
    },
    deny: async (userCode) => {
      const code = await codeOf(userCode);
      Object.assign(code, { error: 'access_denied', errorDescription: 'of the tests' });
      await code.save();
    },
    isLive: async (refreshToken) => (await provider.RefreshToken.find(refreshToken)) !== undefined,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function epoch(): number {
  return Math.floor(Date.now() / 1000);
}
