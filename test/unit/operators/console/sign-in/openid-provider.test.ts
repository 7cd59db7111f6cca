import assert from 'node:assert/strict';
import { systemClock } from '../../../../../src/base/clock.ts';
import {
  beginFlow,
  checksOf,
  type Flow,
  flowCookie,
  readFlow,
} from '../../../../../src/operators/console/sign-in/openid/flow.ts';
import { OpenIdProvider } from '../../../../../src/operators/console/sign-in/openid/provider.ts';
import { SignInFault } from '../../../../../src/operators/console/sign-in/sign-in-fault.ts';
import { freePort } from '../../../../../src/cli/programs/free-ports.ts';
import { type HostileProvider, startHostileProvider } from '../../../../support/openid/hostile-provider.ts';

const CLIENT = 'postern-console';
const REDIRECT = new URL('http://127.0.0.1:9004/sign-in/callback');

describe('a sign-in at an OpenID Connect provider', () => {
  let hostile: HostileProvider;
  let provider: OpenIdProvider;
  let flow: Flow;

  const providerWith = (claim: string, issuer = hostile.issuer, timeoutSeconds = 5): OpenIdProvider =>
    new OpenIdProvider(
      {
        ...{ issuer: new URL(issuer), clientId: CLIENT, claim, redirectUri: REDIRECT, timeoutSeconds },
        readClientSecret: async () => await Promise.resolve('secret'),
      },
      systemClock,
    );

  before(async () => {
    hostile = await startHostileProvider(CLIENT);
  });
  beforeEach(() => {
    Object.assign(hostile, { isForging: false, tokenAnswer: null });
    hostile.redeemed.length = 0;
    provider = providerWith('sub');
    flow = beginFlow('/consumers');
    hostile.claims = { nonce: checksOf(flow).nonce };
  });
  after(async () => {
    await hostile[Symbol.asyncDispose]();
  });

  const good = (more: Readonly<Record<string, string>> = {}): string =>
    `?${new URLSearchParams({ code: 'c1', state: checksOf(flow).state, ...more }).toString()}`;

  async function refuses(kind: SignInFault['kind'], query: string, message: RegExp): Promise<void> {
    await assert.rejects(provider.subjectOf(query, flow), (error) => {
      assert.ok(error instanceof SignInFault, String(error));
      assert.deepEqual([error.kind, message.test(error.message)], [kind, true], error.message);
      assert.ok(!error.message.includes('c1'), 'no code');
      return true;
    });
  }

  it('asks for a code with PKCE, state and nonce', async () => {
    const { origin, pathname, searchParams } = await provider.authorizationUrl(flow);
    assert.deepEqual([origin, pathname], [hostile.issuer, '/auth']);
    assert.deepEqual(
      ['response_type', 'client_id', 'redirect_uri', 'scope', 'code_challenge_method'].map((name) =>
        searchParams.get(name),
      ),
      ['code', CLIENT, REDIRECT.href, 'openid', 'S256'],
    );
    const { state, nonce, verifier } = checksOf(flow);
    assert.deepEqual([searchParams.get('state'), searchParams.get('nonce')], [state, nonce]);
    assert.ok(!searchParams.toString().includes(verifier));
    assert.ok(!searchParams.toString().includes(flow.secret));
  });

  it('gives the subject, and redeems the code with the verifier', async () => {
    assert.equal(await provider.subjectOf(good(), flow), 'ada');
    const [sent] = hostile.redeemed;
    assert.deepEqual([sent?.get('code'), sent?.get('code_verifier')], ['c1', checksOf(flow).verifier]);
  });

  it('takes an ID token that says that it was issued to this client', async () => {
    hostile.claims = { ...hostile.claims, azp: CLIENT };
    assert.equal(await provider.subjectOf(good(), flow), 'ada');
  });

  it('refuses the state of another browser, before anything is redeemed', async () => {
    await refuses('refused', good({ state: checksOf(beginFlow('/')).state }), /OAUTH_INVALID_RESPONSE/);
    await refuses('refused', '?code=c1', /OAUTH_INVALID_RESPONSE/);
    assert.equal(hostile.redeemed.length, 0);
  });

  it('refuses what the provider refused', async () => {
    await refuses('refused', good({ error: 'access_denied', code: '' }), /access_denied/);
  });

  const wrongTokens: Readonly<Record<string, () => void>> = {
    'another nonce': () => (hostile.claims = { nonce: 'x' }),
    'no nonce': () => (hostile.claims = {}),
    'another issuer': () => (hostile.claims = { ...hostile.claims, iss: 'https://evil.example' }),
    'another audience': () => (hostile.claims = { ...hostile.claims, aud: 'another-client' }),
    'another client that it was issued to': () => (hostile.claims = { ...hostile.claims, azp: 'another-client' }),
    'no text for whom it was issued to': () => (hostile.claims = { ...hostile.claims, azp: [CLIENT] }),
    'several audiences, of which none is named': () => (hostile.claims = { ...hostile.claims, aud: [CLIENT, 'x'] }),
    'an end that is over': () => (hostile.claims = { ...hostile.claims, exp: 1_700_000_000, iat: 1_699_999_000 }),
    'the signature of another key': () => (hostile.isForging = true),
  };
  for (const [what, prepare] of Object.entries(wrongTokens)) {
    it(`refuses an ID token with ${what}`, async () => {
      prepare();
      await refuses('refused', good(), /what the provider sent back is not taken: /);
    });
  }

  it('refuses a code that was redeemed before', async () => {
    hostile.tokenAnswer = 400;
    await refuses('refused', good(), /invalid_grant/);
  });

  it('takes an e-mail address only when the provider has verified it', async () => {
    provider = providerWith('email');
    const { nonce } = checksOf(flow);
    for (const verified of [false, undefined, 'true']) {
      hostile.claims = { nonce, email: 'ada@example.com', email_verified: verified };
      await refuses('refused', good(), /has not verified the e-mail address/);
    }
    hostile.claims = { nonce, email: 'ada@example.com', email_verified: true };
    assert.equal(await provider.subjectOf(good(), flow), 'ada@example.com');
  });

  it('refuses a claim that is no text', async () => {
    provider = providerWith('groups');
    hostile.claims = { ...hostile.claims, groups: ['admins'] };
    await refuses('refused', good(), /does not tell the claim groups/);
  });

  it('says that the provider is down, within its time limit', async () => {
    provider = providerWith('sub', hostile.issuer, 1);
    hostile.tokenAnswer = 'silence';
    await refuses('provider', good(), /cannot be used: /);
    hostile.tokenAnswer = 503;
    await refuses('provider', good(), /cannot be used: /);
    provider = providerWith('sub', `http://127.0.0.1:${String(await freePort())}`);
    await assert.rejects(provider.authorizationUrl(flow), { kind: 'provider', message: /ECONNREFUSED/ });
  });

  it('is kept by the browser that began it, in a cookie that no script reads', () => {
    const cookie = flowCookie(flow);
    assert.match(
      cookie,
      /^__Host-postern-openid=[A-Za-z0-9_.-]+; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=600$/,
    );
    const request = new Request('http://h/', { headers: { cookie: cookie.split(';')[0] ?? '' } });
    assert.deepEqual(readFlow(request), flow);
    assert.equal(readFlow(new Request('http://h/')), null);
    const planted = `__Host-postern-openid=${flow.secret}.${Buffer.from('//evil.example').toString('base64url')}`;
    assert.equal(readFlow(new Request('http://h/', { headers: { cookie: planted } }))?.returnTo, '/');
  });
});
