import assert from 'node:assert/strict';
import { MAX_REMEMBERED_LIFE_SECONDS } from '../../../../../src/check/methods/jwt/authenticate.ts';
import { type JwtFault, jwtFaults } from '../../../../../src/check/methods/jwt/token-faults.ts';
import { StoreUnavailable } from '../../../../../src/check/store/credential-source.ts';
import type { JwtOptions } from '../../../../../src/model/endpoint.ts';
import { jwtAlgorithms } from '../../../../../src/model/jwt-algorithms.ts';
import {
  AUDIENCE,
  issuerKey,
  issuerToken,
  jwtCatalog,
  jwtCredential,
  knownIssuer,
  withToken,
} from '../../../../support/jwt/issuer-token.ts';
import { partnerKey } from '../../../../support/oauth2/client-assertion.ts';
import { lastDecision } from '../../../../support/partner/signed-gateway.ts';
import { headerOf } from '../../../../support/pipeline/answer.ts';
import { type GatewayParts, type TestGateway, testGateway } from '../../../../support/pipeline/gateway.ts';
import { consumer, partnerEndpoint } from '../../../../support/pipeline/resources.ts';
import { fixedClock, NOON } from '../../../../support/time/fixed-clock.ts';

type Catalog = Parameters<typeof jwtCatalog>[0];

function gatewayWith(parts: Catalog = {}, more: GatewayParts = {}): TestGateway {
  const catalog = jwtCatalog(parts);
  return testGateway({ clock: fixedClock(), catalog: () => catalog, ...more });
}

function endpointWith(options: Partial<JwtOptions>) {
  return partnerEndpoint('jwt', { options: { ...partnerEndpoint('jwt').options, ...options } });
}

/** The refusal of a token: its code, and the detail for the log. */
async function assertRefused(
  gateway: TestGateway,
  token: string,
  detail: string,
  code = 'TOKEN_INVALID',
): Promise<void> {
  const answer = await gateway.send(withToken(token));
  assert.ok(answer.kind === 'refused', detail);
  assert.equal(answer.body.code, code, detail);
  assert.equal(lastDecision(gateway).detail, detail);
}

async function assertFault(gateway: TestGateway, token: string, fault: JwtFault): Promise<void> {
  await assertRefused(gateway, token, jwtFaults[fault]);
}

async function assertAllowed(gateway: TestGateway, token: string): Promise<void> {
  const answer = await gateway.send(withToken(token));
  assert.equal(answer.kind, 'allowed', answer.kind === 'refused' ? answer.text : '');
}

describe('a token of an issuer', () => {
  it('makes the consumer known whose claims it has, and is hidden', async () => {
    const answer = await gatewayWith().send(withToken(issuerToken()));
    assert.ok(answer.kind === 'allowed');
    assert.equal(headerOf(answer.upstream, 'x-consumer-id'), 'acme');
    assert.deepEqual(answer.removed.includes('authorization'), true);
    const shown = await gatewayWith({ endpoints: [endpointWith({ hideCredentials: false })] }).send(
      withToken(issuerToken()),
    );
    assert.ok(shown.kind === 'allowed' && !shown.removed.includes('authorization'));
  });

  for (const algorithm of jwtAlgorithms) {
    it(`may be signed by ${algorithm}`, async () => {
      await assertAllowed(gatewayWith(), issuerToken({ algorithm }));
      const others = jwtAlgorithms.filter((each) => each !== algorithm);
      const issuers = [knownIssuer({ algorithms: others })];
      await assertFault(gatewayWith({ issuers }), issuerToken({ algorithm }), 'algorithm');
    });
  }

  it('is refused with any fault in the same way', async () => {
    const gateway = gatewayWith();
    const other = partnerKey('p-256', 'another').privateKey;
    const cases: readonly (readonly [JwtFault, string])[] = [
      ['form', 'abc'],
      ['form', `${issuerToken()}.x`],
      ['form', issuerToken({ claims: '{"iss":"a","iss":"b"}' })],
      ['form', issuerToken({ claims: '[]' })],
      ['tooLong', issuerToken({ claims: { pad: 'x'.repeat(8192) } })],
      ['header', issuerToken({ header: { crit: ['exp'] } })],
      ['header', issuerToken({ header: { b64: true } })],
      ['header', issuerToken({ header: { zip: 'DEF' } })],
      ['type', issuerToken({ header: { typ: 'logout+jwt' } })],
      ['type', issuerToken({ header: { typ: 7 } })],
      ['kid', issuerToken({ header: { kid: 7 } })],
      ['algorithm', issuerToken({ header: { alg: 'none' } })],
      ['algorithm', issuerToken({ header: { alg: 'HS256' } })],
      ['algorithm', issuerToken({ header: { alg: 'toString' } })],
      ['noIssuer', issuerToken({ claims: { iss: undefined } })],
      ['unknownIssuer', issuerToken({ claims: { iss: 'https://idp.partner.example/' } })],
      ['times', issuerToken({ claims: { exp: undefined } })],
      ['times', issuerToken({ claims: { exp: String(NOON + 60) } })],
      ['times', issuerToken({ claims: '{"iss":"a","aud":"b","exp":1e999}' })],
      ['times', issuerToken({ claims: { nbf: null } })],
      ['times', issuerToken({ claims: { iat: [NOON] } })],
      ['audienceForm', issuerToken({ claims: { aud: undefined } })],
      ['audienceForm', issuerToken({ claims: { aud: [AUDIENCE, 7] } })],
      ['audience', issuerToken({ claims: { aud: [] } })],
      ['audience', issuerToken({ claims: { aud: `${AUDIENCE}/` } })],
      ['expired', issuerToken({ claims: { exp: NOON - 60 } })],
      ['notYetValid', issuerToken({ claims: { nbf: NOON + 61 } })],
      ['notYetValid', issuerToken({ claims: { iat: NOON + 61 } })],
      ['noKey', issuerToken({ header: { kid: 'another' } })],
      ['noKey', issuerToken({ algorithm: 'ES256', header: { kid: 'rsa' } })],
      ['signature', issuerToken({ key: other })],
      ['noKey', issuerToken({ key: other, header: { kid: undefined } })],
      ['noCredential', issuerToken({ claims: { azp: undefined } })],
      ['noCredential', issuerToken({ claims: { azp: ['acme-batch'] } })],
      ['noCredential', issuerToken({ claims: { azp: 'acme' } })],
    ];
    const texts = new Set<string>();
    for (const [fault, token] of cases) {
      await assertFault(gateway, token, fault);
      const answer = await gateway.send(withToken(token));
      assert.ok(answer.kind === 'refused');
      texts.add(answer.text.replace(answer.body.requestId, ''));
      assert.match(
        headerOf(answer.headers, 'www-authenticate') ?? '',
        /^Bearer realm="postern", error="invalid_token"/,
      );
    }
    assert.equal(texts.size, 1);
  });

  it('is taken in every form that the rules allow', async () => {
    const gateway = gatewayWith();
    for (const typ of [undefined, 'JWT', 'jwt', 'at+jwt', 'application/at+jwt']) {
      await assertAllowed(gateway, issuerToken({ header: { typ } }));
    }
    for (const claims of [
      { aud: ['https://others.example', AUDIENCE] },
      { exp: NOON + 0.5 },
      { exp: NOON - 59.5 },
      { nbf: NOON + 60.9, iat: NOON + 0.9 },
      { extra: { deep: [{ a: 1 }] } },
    ]) {
      await assertAllowed(gateway, issuerToken({ claims }));
    }
    await assertAllowed(gateway, issuerToken({ header: { kid: undefined } }));
  });

  it('never brings a key of its own', async () => {
    const { privateKey, publicKey } = partnerKey('p-256', 'another');
    for (const header of [
      { jwk: publicKey.jwk },
      { jku: 'https://attacker.example/keys' },
      { x5u: 'https://attacker.example/chain' },
      { x5c: ['MIIB'] },
    ]) {
      await assertFault(gatewayWith(), issuerToken({ key: privateKey, header }), 'signature');
      await assertAllowed(gatewayWith(), issuerToken({ header }));
    }
  });

  it('without kid is tried with few keys', async () => {
    const key = (name: string) => ({ ...issuerKey('ES256', name), kid: null });
    const withKeys = (names: readonly string[]) =>
      gatewayWith({ issuers: [knownIssuer({ keys: { kind: 'jwks', keys: names.map(key) } })] });
    const token = issuerToken({ header: { kid: undefined } });
    await assertAllowed(withKeys(['a', 'b', 'c', 'idp']), token);
    await assertFault(withKeys(['a', 'b', 'c', 'd', 'idp']), token, 'tooManyKeys');
  });

  it('goes with the alg that its key is for', async () => {
    const keys = [{ ...issuerKey('RS256'), alg: 'RS256' as const }];
    const gateway = gatewayWith({ issuers: [knownIssuer({ keys: { kind: 'jwks', keys } })] });
    await assertAllowed(gateway, issuerToken({ algorithm: 'RS256' }));
    await assertFault(gateway, issuerToken({ algorithm: 'PS256' }), 'noKey');
  });

  it('has what its issuer requires', async () => {
    const issuers = [knownIssuer({ requiredClaims: { tenant: 'a', scope: ['read', 'write'] } })];
    const gateway = gatewayWith({ issuers });
    await assertAllowed(gateway, issuerToken({ claims: { tenant: 'a', scope: 'write' } }));
    for (const claims of [{ tenant: 'a' }, { tenant: 'b', scope: 'read' }, { tenant: 'a', scope: 'read write' }]) {
      await assertFault(gateway, issuerToken({ claims }), 'requiredClaim');
    }
  });

  it('of a disabled issuer is as one of an unknown one', async () => {
    const gateway = gatewayWith({ issuers: [knownIssuer({ enabled: false })] });
    await assertFault(gateway, issuerToken(), 'unknownIssuer');
  });
});

describe('whose token it is', () => {
  const narrow = { azp: 'acme-batch', tenant: 'a' };
  const claimNames = [['azp'], ['azp', 'tenant']];
  const token = issuerToken({ claims: { tenant: 'a' } });

  it('follows from all claims that a credential names', async () => {
    const gateway = gatewayWith({ claimNames, credentials: [jwtCredential(narrow)] });
    await assertAllowed(gateway, token);
    await assertFault(gateway, issuerToken(), 'noCredential');
    await assertFault(gateway, issuerToken({ claims: { tenant: 'b' } }), 'noCredential');
  });

  it('is decided by the most claims of one consumer, also when that credential was revoked', async () => {
    const credentials = [jwtCredential(), jwtCredential(narrow, { id: 'acme-narrow', state: 'revoked' })];
    const gateway = gatewayWith({ claimNames, credentials });
    await assertRefused(gateway, token, 'the credential acme-narrow is revoked');
    await assertAllowed(gateway, issuerToken());
  });

  it('is nobody’s when two consumers could claim it, or two credentials with as many claims', async () => {
    const consumers = [consumer(), consumer({ id: 'other' })];
    const others = [jwtCredential(), jwtCredential(narrow, { id: 'other-jwt', consumerId: 'other' })];
    await assertFault(gatewayWith({ claimNames, consumers, credentials: others }), token, 'ambiguous');
    const same = [jwtCredential(), jwtCredential({ tenant: 'a' }, { id: 'acme-tenant' })];
    await assertFault(gatewayWith({ claimNames: [['azp'], ['tenant']], credentials: same }), token, 'ambiguous');
  });

  it('is judged by the state of credential and consumer', async () => {
    const revoked = gatewayWith({ credentials: [jwtCredential(undefined, { state: 'revoked' })] });
    await assertRefused(revoked, issuerToken(), 'the credential acme-jwt is revoked');
    const ended = gatewayWith({ credentials: [jwtCredential(undefined, { expiresAt: NOON })] });
    await assertRefused(ended, issuerToken(), 'the credential acme-jwt has expired');
    const disabled = gatewayWith({ consumers: [consumer({ enabled: false })] });
    await assertRefused(disabled, issuerToken(), 'the consumer acme is disabled');
  });

  it('is unknown, not nobody’s, while the store cannot say', async () => {
    const catalog = jwtCatalog();
    const credentials = {
      findByAppKey: () => {
        throw new StoreUnavailable('the database is down');
      },
      canKnow: () => false,
    };
    const gateway = testGateway({ clock: fixedClock(), catalog: () => ({ ...catalog, credentials }) });
    await assertRefused(gateway, issuerToken(), 'the database is down', 'STORE_UNAVAILABLE');
    await assertFault(gateway, issuerToken({ key: partnerKey('p-256', 'another').privateKey }), 'signature');
  });
});

describe('a request without a token of an issuer', () => {
  it('says which way it lacks one', async () => {
    const gateway = gatewayWith();
    for (const [headers, code] of [
      [[], 'CREDENTIALS_MISSING'],
      [[['authorization', 'Basic abc']], 'CREDENTIALS_MISSING'],
      [[['authorization', 'Bearer a b']], 'CREDENTIALS_MALFORMED'],
      [
        [
          ['authorization', 'Bearer a'],
          ['authorization', 'Bearer b'],
        ],
        'CREDENTIALS_MALFORMED',
      ],
    ] as const) {
      const answer = await gateway.send({ headers });
      assert.ok(answer.kind === 'refused');
      assert.equal(answer.body.code, code);
    }
    const inQuery = await gateway.send({ path: `/orders?access_token=${issuerToken()}` });
    assert.ok(inQuery.kind === 'refused' && inQuery.body.code === 'CREDENTIALS_MISSING');
  });

  it('passes an endpoint that observes, its token hidden', async () => {
    const gateway = gatewayWith({ endpoints: [endpointWith({ mode: 'observe' })] });
    const answer = await gateway.send(withToken(issuerToken({ claims: { exp: NOON - 3600 } })));
    assert.ok(answer.kind === 'allowed' && answer.removed.includes('authorization'));
    assert.equal(headerOf(answer.upstream, 'x-consumer-id'), undefined);
  });
});

describe('an endpoint that takes each token once', () => {
  const endpoints = [endpointWith({ replayProtection: true })];
  const token = issuerToken({ claims: { jti: 'one' } });

  it('refuses its second use, also as another text, until it has ended', async () => {
    const clock = fixedClock();
    const gateway = gatewayWith({ endpoints }, { clock });
    await assertAllowed(gateway, token);
    await assertRefused(gateway, token, 'the token was used before', 'REQUEST_REPLAYED');
    const sameId = issuerToken({ claims: { jti: 'one', other: true } });
    await assertRefused(gateway, sameId, 'the token was used before', 'REQUEST_REPLAYED');
    await assertAllowed(gateway, issuerToken({ claims: { jti: 'two' } }));
    clock.advance(60 + 59);
    await assertRefused(gateway, token, 'the token was used before', 'REQUEST_REPLAYED');
    clock.advance(1);
    await assertFault(gateway, token, 'expired');
  });

  it('refuses a token without jti, and one that would have to be remembered for long', async () => {
    const gateway = gatewayWith({ endpoints });
    await assertFault(gateway, issuerToken(), 'noTokenId');
    for (const jti of ['', 7, 'x'.repeat(257)]) {
      await assertFault(gateway, issuerToken({ claims: { jti } }), 'noTokenId');
    }
    const exp = NOON + MAX_REMEMBERED_LIFE_SECONDS + 60;
    await assertAllowed(gateway, issuerToken({ claims: { jti: 'long', exp } }));
    await assertFault(gateway, issuerToken({ claims: { jti: 'longer', exp: exp + 1 } }), 'livesTooLong');
  });

  it('remembers it by its issuer, so that it stays used when another credential has its claims', async () => {
    const clock = fixedClock();
    let catalog = jwtCatalog({ endpoints });
    const gateway = testGateway({ clock, catalog: () => catalog });
    await assertAllowed(gateway, token);
    catalog = jwtCatalog({
      endpoints,
      consumers: [consumer({ id: 'other' })],
      credentials: [jwtCredential(undefined, { id: 'other-jwt', consumerId: 'other' })],
    });
    await assertRefused(gateway, token, 'the token was used before', 'REQUEST_REPLAYED');
  });

  it('uses no token up that is refused for another reason', async () => {
    const clock = fixedClock();
    let catalog = jwtCatalog({ endpoints, credentials: [jwtCredential(undefined, { state: 'revoked' })] });
    const gateway = testGateway({ clock, catalog: () => catalog });
    await assertRefused(gateway, token, 'the credential acme-jwt is revoked');
    catalog = jwtCatalog({ endpoints });
    await assertAllowed(gateway, token);
  });
});
