import assert from 'node:assert/strict';
import { SignJWT, UnsecuredJWT } from 'jose';
import { systemClock } from '../../../../../src/base/clock.ts';
import { OpenIdProvider } from '../../../../../src/operators/console/sign-in/openid/provider.ts';
import { SignInFault } from '../../../../../src/operators/console/sign-in/sign-in-fault.ts';
import { freePort } from '../../../../../src/cli/programs/free-ports.ts';
import { type HostileProvider, startHostileProvider } from '../../../../support/openid/hostile-provider.ts';

const CLIENT = 'postern-commands';

describe('an ID token that a command got', () => {
  let hostile: HostileProvider;
  let provider: OpenIdProvider;

  const providerOf = (issuer: string, claim = 'sub', clock = systemClock): OpenIdProvider =>
    new OpenIdProvider(
      {
        ...{ issuer: new URL(issuer), clientId: CLIENT, claim, redirectUri: new URL('http://127.0.0.1:1/') },
        ...{ readClientSecret: null, timeoutSeconds: 5 },
      },
      clock,
    );
  const now = (): number => Math.floor(Date.now() / 1000);

  before(async () => {
    hostile = await startHostileProvider(CLIENT);
  });
  beforeEach(() => {
    Object.assign(hostile, { isForging: false, claims: {}, keysStatus: 200, keysAsked: 0 });
    provider = providerOf(hostile.issuer);
  });
  after(async () => {
    await hostile[Symbol.asyncDispose]();
  });

  async function refuses(
    idToken: string,
    message: string,
    { kind = 'refused', by = provider }: { kind?: SignInFault['kind']; by?: OpenIdProvider } = {},
  ): Promise<void> {
    await assert.rejects(by.subjectOfIdToken(idToken, null), (error) => {
      assert.ok(error instanceof SignInFault, String(error));
      assert.deepEqual([error.kind, error.message], [kind, message]);
      return true;
    });
  }
  const notTaken = (reason: string): string => `the ID token is not taken: ${reason}`;

  it('names its subject', async () => {
    assert.equal(await provider.subjectOfIdToken(await hostile.idToken(), null), 'ada');
    hostile.claims = { azp: CLIENT, aud: [CLIENT, 'another'] };
    assert.equal(await provider.subjectOfIdToken(await hostile.idToken({ typ: 'jwt' }), null), 'ada');
  });

  it('is judged by the time of day, which a machine may set while the process runs', async () => {
    const wasSet = { ...systemClock, nowMs: () => systemClock.nowMs() - 60_000 };
    const later = providerOf(hostile.issuer, 'sub', wasSet);
    assert.equal(await later.subjectOfIdToken(await hostile.idToken(), null), 'ada');
  });

  it('is refused with claims of another provider, client, time or kind', async () => {
    const cases = [
      [{ iss: 'https://login.example.com' }, 'it is not of the provider that this API asks people to sign in at'],
      [{ aud: 'another' }, 'it was issued to another client'],
      [{ aud: ['another'] }, 'it was issued to another client'],
      [{ aud: [CLIENT, 'another'] }, 'it was issued to another client'],
      [{ azp: 'another' }, 'it was issued to another client'],
      [{ exp: now() - 60 }, 'it has expired, or is older than five minutes'],
      [{ iat: now() - 400, exp: now() + 3600 }, 'it has expired, or is older than five minutes'],
      [{ iat: now() + 90 }, 'its claim iat is not taken'],
      [{ nbf: now() + 90 }, 'its claim nbf is not taken'],
      [{ sub: '' }, 'it names nobody'],
      [{ nonce: 'n' }, 'it was issued for a sign-in with a browser'],
      [{ typ: 'Bearer' }, 'it is a token of another kind'],
      [{ events: {} }, 'it is a token of another kind'],
    ] as const;
    for (const [claims, reason] of cases) {
      hostile.claims = { ...claims } as HostileProvider['claims'];
      await refuses(await hostile.idToken(), notTaken(reason));
    }
    hostile.claims = {};
    await refuses(await hostile.idToken({ typ: 'at+jwt' }), notTaken('it is a token of another kind'));
    await refuses(await hostile.idToken({ typ: 'logout+jwt' }), notTaken('it is a token of another kind'));
  });

  it('is refused without a signature, or with one that anybody can make', async () => {
    const claims = { iss: hostile.issuer, aud: CLIENT, sub: 'ada', iat: now(), exp: now() + 60 };
    await refuses(new UnsecuredJWT(claims).encode(), notTaken('ERR_JOSE_ALG_NOT_ALLOWED'));
    const shared = new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'k1' });
    await refuses(await shared.sign(Buffer.alloc(32)), notTaken('ERR_JOSE_ALG_NOT_ALLOWED'));
    hostile.isForging = true;
    await refuses(await hostile.idToken(), notTaken('ERR_JWS_SIGNATURE_VERIFICATION_FAILED'));
    hostile.isForging = false;
    await refuses(await hostile.idToken({ kid: 'k2' }), notTaken('ERR_JWKS_NO_MATCHING_KEY'));
    await refuses('a.b.c', notTaken('ERR_JWT_INVALID'));
  });

  it('does not make the provider be asked unless it claims to be for this client', async () => {
    hostile.claims = { aud: 'another' };
    await refuses(await hostile.idToken(), notTaken('it was issued to another client'));
    assert.equal(hostile.keysAsked, 0);
  });

  it('is neither taken nor refused while the provider is down', async () => {
    hostile.keysStatus = 503;
    const unusable = 'the OpenID Connect provider cannot be used: its keys cannot be had';
    await refuses(await hostile.idToken(), unusable, { kind: 'provider' });
    const issuer = `http://127.0.0.1:${String(await freePort())}`;
    hostile.claims = { iss: issuer };
    const gone = 'the OpenID Connect provider cannot be used: ECONNREFUSED';
    await refuses(await hostile.idToken(), gone, { kind: 'provider', by: providerOf(issuer) });
  });

  it('is refused where it does not tell the claim, or an address that nobody verified', async () => {
    const by = providerOf(hostile.issuer, 'email');
    await refuses(await hostile.idToken(), 'the provider does not tell the claim email of this account', { by });
    hostile.claims = { email: 'ada@example.com', email_verified: false };
    const message = 'the provider has not verified the e-mail address of this account';
    await refuses(await hostile.idToken(), message, { by });
    hostile.claims = { email: 'ada@example.com', email_verified: true };
    assert.equal(await by.subjectOfIdToken(await hostile.idToken(), null), 'ada@example.com');
  });
});
