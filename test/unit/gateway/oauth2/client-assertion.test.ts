import assert from 'node:assert/strict';
import { importPKCS8, SignJWT } from 'jose';
import { publicKeyMaterial } from '../../../../src/model/material.ts';
import { assertionAlgorithms } from '../../../../src/gateway/oauth2/assertion/algorithms.ts';
import { keyKindOf } from '../../../../src/model/jwt-algorithms.ts';
import { throttleLimits } from '../../../../src/base/throttle.ts';
import { type CredentialSource, StoreUnavailable } from '../../../../src/check/store/credential-source.ts';
import type { UsedSignature } from '../../../../src/check/replay/replay-guard.ts';
import {
  ASSERTION_CLIENT,
  type AssertionParts,
  assertionFields,
  assertionRequest,
  clientAssertion,
  partnerKey,
} from '../../../support/oauth2/client-assertion.ts';
import { ISSUER } from '../../../support/oauth2/forged-token.ts';
import { acme, acmeOAuth2, bodyOf, oauth2Fixture, twoClients } from '../../../support/oauth2/oauth2-fixture.ts';
import { basic, form, type OAuth2RequestParts } from '../../../support/oauth2/oauth2-request.ts';
import {
  catalogOf,
  type CatalogParts,
  consumer,
  credential,
  type CredentialParts,
} from '../../../support/pipeline/resources.ts';
import { NOON } from '../../../support/time/fixed-clock.ts';

type Fixture = ReturnType<typeof oauth2Fixture>;

/** A client with a public key, beside those with secrets. */
function withKey(parts: CredentialParts = {}, kind: Parameters<typeof partnerKey>[0] = 'ed25519'): CatalogParts {
  const client = credential({
    id: 'acme-key-client',
    methods: ['oauth2'],
    appKey: ASSERTION_CLIENT,
    material: publicKeyMaterial(partnerKey(kind).publicKey),
    ...parts,
  });
  return { ...twoClients, credentials: [...(twoClients.credentials ?? []), client] };
}

const keyFixture = (more: Parameters<typeof oauth2Fixture>[0] = {}): Fixture =>
  oauth2Fixture({ parts: withKey(), ...more });

/** Status, and error or what kind of token. */
async function outcomeOf(fixture: Fixture, request: OAuth2RequestParts): Promise<string> {
  const answer = await fixture.send(request);
  const body = bodyOf(answer);
  return `${String(answer.status)} ${String(body['error'] ?? body['token_type'] ?? body['active'])}`;
}

const ask = async (fixture: Fixture, parts: AssertionParts = {}): Promise<string> =>
  await outcomeOf(fixture, assertionRequest(clientAssertion(parts)));

const GOOD = '200 bearer';
const REFUSED = '400 invalid_client';

/** The detail that the log got last. */
const detailOf = (fixture: Fixture): string | undefined => fixture.told.at(-1)?.refusal?.detail;

/** What the caller was told last. */
const descriptionOf = (fixture: Fixture): string | undefined => fixture.told.at(-1)?.refusal?.description;

describe('a client with a public key', () => {
  for (const algorithm of assertionAlgorithms) {
    it(`gets a token by an assertion that jose signs by ${algorithm}`, async () => {
      const kind = keyKindOf(algorithm);
      const fixture = oauth2Fixture({ parts: withKey({}, kind) });
      const pem = partnerKey(kind).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
      const assertion = await new SignJWT({})
        .setProtectedHeader({ alg: algorithm, typ: 'JWT', kid: 'a' })
        .setIssuer(ASSERTION_CLIENT)
        .setSubject(ASSERTION_CLIENT)
        .setAudience(`${ISSUER}/oauth2/token`)
        .setIssuedAt(NOON)
        .setNotBefore(NOON)
        .setExpirationTime(NOON + 60)
        .setJti(algorithm)
        .sign(await importPKCS8(pem, algorithm));
      assert.equal(await outcomeOf(fixture, assertionRequest(assertion, { client_id: ASSERTION_CLIENT })), GOOD);
      assert.deepEqual(fixture.used, ['acme-key-client current']);
      assert.equal(fixture.told.at(-1)?.authentication, 'private_key_jwt');
    });
  }

  it('gets a token that says what tokens of others say, in a body of JSON too', async () => {
    const fixture = keyFixture();
    const body = JSON.stringify({ grant_type: 'client_credentials', ...assertionFields(clientAssertion()) });
    const answer = await fixture.send({ headers: [['content-type', 'application/json']], body });
    const { access_token: text, ...more } = bodyOf(answer);
    assert.deepEqual(more, { token_type: 'bearer', expires_in: 3600 });
    const claims = fixture.tokens.verify(String(text));
    assert.ok(!('fault' in claims));
    assert.deepEqual([claims.clientId, claims.credentialId], [ASSERTION_CLIENT, 'acme-key-client']);
  });

  it('introspects and revokes its tokens by assertions for the same audiences', async () => {
    const fixture = keyFixture();
    const issued = bodyOf(await fixture.send(assertionRequest(clientAssertion())));
    const token = String(issued['access_token']);
    const send = async (target: string, aud: string) =>
      await fixture.send({ target, body: form({ token, ...assertionFields(clientAssertion({ claims: { aud } })) }) });
    for (const [target, aud, status] of [
      ['/oauth2/introspect', ISSUER, 200],
      ['/oauth2/introspect', `${ISSUER}/oauth2/token`, 200],
      ['/oauth2/introspect', `${ISSUER}/oauth2/introspect`, 400],
      ['/oauth2/revoke', `${ISSUER}/oauth2/revoke`, 400],
    ] as const) {
      assert.equal((await send(target, aud)).status, status, `${target} ${aud}`);
    }
    assert.equal(bodyOf(await send('/oauth2/introspect', ISSUER))['active'], true);
    assert.equal((await send('/oauth2/revoke', ISSUER)).status, 200);
    assert.deepEqual(bodyOf(await send('/oauth2/introspect', ISSUER)), { active: false });
  });

  it('has tokens that end with its credential', async () => {
    const fixture = oauth2Fixture({ parts: withKey({ expiresAt: NOON + 10 }) });
    assert.equal(bodyOf(await fixture.send(assertionRequest(clientAssertion())))['expires_in'], 10);
    fixture.clock.advance(10);
    assert.equal(await ask(fixture), REFUSED);
    assert.equal(detailOf(fixture), 'the credential acme-key-client has expired');
  });

  it('is known by its former key too until the grace period of a rotation ends', async () => {
    const retiringPublicKey = { publicKey: partnerKey().publicKey, expiresAt: NOON + 30 };
    const fresh = partnerKey('rsa');
    const fixture = oauth2Fixture({
      parts: withKey({ material: publicKeyMaterial(fresh.publicKey, retiringPublicKey) }),
    });
    const byNew: AssertionParts = { algorithm: 'PS256', key: fresh.privateKey };
    assert.deepEqual([await ask(fixture), await ask(fixture, byNew)], [GOOD, GOOD]);
    assert.deepEqual(fixture.used, ['acme-key-client retiring', 'acme-key-client current']);
    fixture.clock.advance(30);
    assert.deepEqual([await ask(fixture), await ask(fixture, byNew)], [REFUSED, GOOD]);
    assert.equal(detailOf(fixture), undefined);
  });
});

describe('an assertion', () => {
  it('is taken once, at whichever endpoint, until it has ended', async () => {
    const fixture = keyFixture();
    const request = assertionRequest(clientAssertion({ claims: { jti: 'one', exp: NOON + 3600 } }));
    assert.equal(await outcomeOf(fixture, request), GOOD);
    assert.equal(await outcomeOf(fixture, request), REFUSED);
    assert.equal(detailOf(fixture), 'the jti of the assertion was used before');
    assert.equal(
      descriptionOf(fixture),
      'The client assertion was used before, or its time is no longer remembered: sign a new one for each request.',
    );
    const elsewhere = form({ token: 'x', ...assertionFields(clientAssertion({ claims: { jti: 'one' } })) });
    assert.equal(await outcomeOf(fixture, { target: '/oauth2/introspect', body: elsewhere }), REFUSED);
    fixture.clock.advance(3599);
    assert.equal(await outcomeOf(fixture, request), REFUSED);
    assert.equal(detailOf(fixture), 'the jti of the assertion was used before');
    fixture.clock.advance(1);
    assert.equal(await outcomeOf(fixture, request), REFUSED);
    assert.equal(detailOf(fixture), 'the assertion has expired');
  });

  it('shares its jti with those of other clients', async () => {
    const parts = withKey();
    const other = credential({
      id: 'other',
      methods: ['oauth2'],
      appKey: 'other-client',
      material: publicKeyMaterial(partnerKey().publicKey),
    });
    const fixture = oauth2Fixture({ parts: { ...parts, credentials: [...(parts.credentials ?? []), other] } });
    assert.equal(await ask(fixture, { claims: { jti: 'one' } }), GOOD);
    assert.equal(await ask(fixture, { clientId: 'other-client', claims: { jti: 'one' } }), GOOD);
  });

  it('is used up only when everything else was right', async () => {
    const reserved: UsedSignature[] = [];
    const fixture = keyFixture({
      replayGuard: {
        reserve: (used) => {
          reserved.push(used);
          return 'first';
        },
      },
    });
    const claims = { jti: 'one' };
    const good = clientAssertion({ claims });
    const stranger = partnerKey('ed25519', 'stranger').privateKey;
    for (const [request, expected] of [
      [assertionRequest(good, { client_secret: 's' }), '400 invalid_request'],
      [assertionRequest(good, {}, { headers: [basic(ASSERTION_CLIENT, 's')] }), '400 invalid_request'],
      [assertionRequest(good, {}, { headers: [basic(ASSERTION_CLIENT, '')] }), '401 invalid_client'],
      [assertionRequest(good, { client_id: 'another' }), '400 invalid_request'],
      [assertionRequest(good, { client_assertion_type: 'x' }), '400 invalid_request'],
      [assertionRequest(good, { grant_type: 'password' }), '400 unsupported_grant_type'],
      [{ body: form(assertionFields(good)) }, '400 invalid_request'],
      [{ body: `${form(assertionFields(good))}&client_assertion=x` }, '400 invalid_request'],
      [{ body: `${form(assertionFields(good))}&client_assertion_type=x` }, '400 invalid_request'],
      [assertionRequest(clientAssertion({ claims, key: stranger })), REFUSED],
      [assertionRequest(clientAssertion({ claims, clientId: acme.clientId })), REFUSED],
      [assertionRequest(clientAssertion({ claims: { ...claims, exp: NOON } })), REFUSED],
      [assertionRequest(clientAssertion({ claims: { ...claims, aud: 'x' } })), REFUSED],
      [assertionRequest(clientAssertion({ claims: { ...claims, nbf: NOON + 61 } })), REFUSED],
    ] as const) {
      assert.equal(await outcomeOf(fixture, request), expected);
    }
    assert.deepEqual(reserved, []);
    assert.equal(await outcomeOf(fixture, assertionRequest(good)), GOOD);
    assert.deepEqual(reserved, [
      {
        method: 'assertion',
        appKey: ASSERTION_CLIENT,
        mark: Buffer.from('one'),
        credentialId: 'acme-key-client',
        consumerId: 'acme',
        signedAtSeconds: NOON + 60,
        expiresAtSeconds: NOON + 60,
      },
    ]);
  });

  it('is taken alone after it came beside an empty secret, as some clients send it', async () => {
    const fixture = keyFixture();
    const request = assertionRequest(clientAssertion(), { client_id: ASSERTION_CLIENT });
    const answer = await fixture.send({ ...request, headers: [basic(ASSERTION_CLIENT, '')] });
    assert.deepEqual(
      [answer.status, bodyOf(answer)['error'], answer.headers['www-authenticate']],
      [401, 'invalid_client', 'Basic realm="postern"'],
    );
    assert.equal(await outcomeOf(fixture, request), GOOD);
  });

  it('may be for the token endpoint unless the operator takes the issuer only', async () => {
    const claims = { aud: `${ISSUER}/oauth2/token` };
    assert.equal(await ask(keyFixture(), { claims }), GOOD);
    const strict = keyFixture({ audience: 'issuer' });
    assert.equal(await ask(strict, { claims }), REFUSED);
    assert.equal(await ask(strict, { claims: { aud: [ISSUER] } }), GOOD);
  });
});

describe('a failure to authenticate by an assertion', () => {
  const stranger = partnerKey('ed25519', 'stranger').privateKey;
  const failures: readonly (readonly [what: string, parts: CatalogParts, assertion: AssertionParts, detail: RegExp])[] =
    [
      ['an unknown client', twoClients, {}, /^the App Key is unknown$/],
      ['a revoked credential', withKey({ state: 'revoked' }), {}, /is revoked$/],
      ['an expired credential', withKey({ expiresAt: NOON }), {}, /has expired$/],
      ['a credential of another method', withKey({ methods: ['hmac'] }), {}, /is not for oauth2$/],
      [
        'a disabled consumer',
        { ...withKey(), consumers: [consumer({ enabled: false }), consumer({ id: 'borealis' })] },
        {},
        /^the consumer acme is disabled$/,
      ],
      ['a client with a secret', twoClients, { clientId: acme.clientId }, /has no public key$/],
      ['a wrong signature', withKey(), { key: stranger }, /by no public key of the credential$/],
      ['a key of another kind', withKey(), { algorithm: 'ES256' }, /by no public key of the credential$/],
      ['an assertion that has expired', withKey(), { claims: { exp: NOON } }, /has expired$/],
      ['an assertion for another server', withKey(), { claims: { aud: 'x' } }, /^the aud of the assertion is not /],
      ['an assertion without jti', withKey(), { claims: { jti: undefined } }, /has no jti/],
      [
        'an assertion by an algorithm that is not taken',
        withKey(),
        { header: { alg: 'HS256' } },
        /has an alg other than/,
      ],
    ];

  it('looks the same, whatever it was, and the log learns why and whose', async () => {
    const answers = new Set<string>();
    for (const [what, parts, assertion, detail] of failures) {
      const fixture = oauth2Fixture({ parts });
      answers.add(JSON.stringify(await fixture.send(assertionRequest(clientAssertion(assertion)))));
      assert.match(detailOf(fixture) ?? '', detail, what);
      const about = fixture.told.at(-1)?.refusal?.about;
      assert.equal(about === null, what === 'an unknown client', what);
      assert.deepEqual(fixture.used, []);
    }
    assert.equal(answers.size, 1);
    assert.match([...answers].join(''), /"status":400.*invalid_client/);
  });

  it('counts for its client and source, as a wrong secret does, whatever it was', async () => {
    for (const [what, parts, assertion] of failures) {
      const fixture = oauth2Fixture({ parts });
      for (let count = 0; count < throttleLimits.failuresPerClient; count += 1) {
        assert.equal(await ask(fixture, assertion), REFUSED, what);
      }
      assert.equal(await ask(fixture, assertion), '429 temporarily_unavailable', what);
    }
  });

  it('keeps the right assertion out for the rest of the minute, from that source only', async () => {
    const fixture = keyFixture();
    const from = (source: string, parts: AssertionParts = {}) =>
      assertionRequest(clientAssertion(parts), {}, { headers: [['x-envoy-external-address', source]] });
    for (let count = 0; count < throttleLimits.failuresPerClient; count += 1) {
      assert.equal(await outcomeOf(fixture, from('203.0.113.7', { key: stranger })), REFUSED);
    }
    assert.equal(await outcomeOf(fixture, from('203.0.113.7')), '429 temporarily_unavailable');
    assert.equal(await outcomeOf(fixture, from('203.0.113.8')), GOOD);
  });

  it('is counted right when attempts overlap', async () => {
    const fixture = keyFixture();
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => ask(fixture, { key: stranger })));
    assert.equal(outcomes.filter((each) => each === REFUSED).length, throttleLimits.failuresPerClient);
    assert.equal(outcomes.filter((each) => each === '429 temporarily_unavailable').length, 30);
  });

  it('is what a secret of a client with a public key is', async () => {
    const fixture = keyFixture();
    const body = form({ grant_type: 'client_credentials', client_id: ASSERTION_CLIENT, client_secret: 'x' });
    assert.equal(await outcomeOf(fixture, { body }), REFUSED);
    assert.equal(detailOf(fixture), 'the credential has no App Secret');
  });

  it('is 503 while not every client can be looked up', async () => {
    const known = catalogOf(withKey()).credentials;
    const credentials: CredentialSource = { findByAppKey: (key) => known.findByAppKey(key), canKnow: () => false };
    const fixture = keyFixture({ credentials });
    assert.equal(await ask(fixture, { key: stranger }), '503 temporarily_unavailable');
    assert.equal(await ask(fixture), GOOD);
  });
});

describe('the memory of used assertions', () => {
  it('lets nobody in while it cannot be asked', async () => {
    for (const fail of [
      () => {
        throw new StoreUnavailable('used signatures cannot be remembered');
      },
      () => Promise.reject(new StoreUnavailable('used signatures cannot be remembered')),
    ]) {
      const fixture = keyFixture({ replayGuard: { reserve: fail } });
      const answer = await fixture.send(assertionRequest(clientAssertion()));
      assert.deepEqual(
        [answer.status, bodyOf(answer)['error'], answer.headers['retry-after']],
        [503, 'temporarily_unavailable', '5'],
      );
      assert.deepEqual([fixture.used, fixture.defects], [[], []]);
    }
  });

  it('asks a client to wait whose share is used up', async () => {
    const fixture = keyFixture({ replayGuard: { reserve: () => ({ retryAfterSeconds: 60 }) } });
    const answer = await fixture.send(assertionRequest(clientAssertion()));
    assert.deepEqual([answer.status, answer.headers['retry-after']], [429, '60']);
    assert.equal(fixture.told.at(-1)?.refusal?.about?.credential.id, 'acme-key-client');
  });

  it('takes one of many that come at once', async () => {
    const known = catalogOf(withKey()).credentials;
    const fixture = keyFixture({
      credentials: { findByAppKey: async (key) => await known.findByAppKey(key), canKnow: () => true },
    });
    const request = assertionRequest(clientAssertion());
    const outcomes = await Promise.all(Array.from({ length: 15 }, () => outcomeOf(fixture, request)));
    assert.equal(outcomes.filter((each) => each === GOOD).length, 1);
    assert.equal(outcomes.filter((each) => each === REFUSED).length, 14);
  });
});

describe('what the log learns of an assertion', () => {
  it('is nothing that it says', async () => {
    const fixture = keyFixture();
    const assertion = clientAssertion({ claims: { jti: 'SENT', other: 'SENT' }, header: { kid: 'SENT' } });
    await fixture.send(assertionRequest(assertion));
    await fixture.send(assertionRequest(assertion));
    for (const parts of [
      { claims: { aud: 'SENT' } },
      { claims: { exp: 'SENT' } },
      { claims: { jti: 'SENT'.repeat(100) } },
      { header: { alg: 'SENT' } },
      { header: { typ: 'SENT' } },
      { header: { crit: ['SENT'] } },
      { clientId: 'SENT' },
      { claims: '{"iss":"SENT"' },
    ]) {
      await fixture.send(assertionRequest(clientAssertion(parts)));
    }
    await fixture.send(assertionRequest('SENT.SENT.SENT'));
    await fixture.send(assertionRequest(clientAssertion(), { client_assertion_type: 'SENT' }));
    const told = JSON.stringify(fixture.told);
    assert.doesNotMatch(told, /SENT/);
    for (const segment of assertion.split('.')) assert.ok(!told.includes(segment));
  });
});

describe('a client with a secret', () => {
  it('still gets tokens by it, and is counted by how it authenticates', async () => {
    const fixture = oauth2Fixture({ parts: { ...twoClients, credentials: [acmeOAuth2()] } });
    const inBody = { grant_type: 'client_credentials', client_id: acme.clientId, client_secret: acme.secret };
    await fixture.send({ body: form(inBody) });
    await fixture.send({
      headers: [basic(acme.clientId, acme.secret)],
      body: form({ grant_type: 'client_credentials' }),
    });
    await fixture.send({ body: form({ grant_type: 'client_credentials' }) });
    assert.deepEqual(
      fixture.told.map(({ authentication }) => authentication),
      ['client_secret_post', 'client_secret_basic', null],
    );
  });
});
