import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import * as fc from 'fast-check';
import { isLive } from '../../../../../src/base/clock.ts';
import { planRotation, type Rotation } from '../../../../../src/resources/changes/rotation/plan-rotation.ts';
import { generatePair } from '../../../../../src/resources/changes/generate-credential.ts';
import type { ManagedCredential } from '../../../../../src/resources/resource.ts';
import type { AuthenticationMethod } from '../../../../../src/model/endpoint.ts';
import { credentialWith, nowSeconds, stored } from '../credentials.ts';
import { secretsOf, materialWith } from '../../../../support/store/secrets.ts';
import { materialKindOf, publicKeyMaterial } from '../../../../../src/model/material.ts';
import { PublicKey } from '../../../../../src/model/public-key/public-key.ts';
import { readJwk } from '../../../../../src/model/public-key/read-jwk.ts';

const day = 86_400;

function rotationOf(methods: readonly AuthenticationMethod[], given: Partial<Rotation> = {}): Rotation {
  return {
    pair: generatePair(materialKindOf(methods)),
    successorId: 'acme-2',
    graceSeconds: 7 * day,
    endsFormerSecret: false,
    publicKey: null,
    knownBy: null,
    ...given,
  };
}

function rotated(credential: ManagedCredential, rotation: Rotation): readonly (ManagedCredential | null)[] {
  const planned = planRotation(stored(credential), rotation, nowSeconds);
  assert.ok('changes' in planned, JSON.stringify(planned));
  return planned.changes.map((change) => (change.kind === 'credential' ? change.after : null));
}

function conflictOf(credential: ManagedCredential, rotation: Rotation): string {
  const planned = planRotation(stored(credential), rotation, nowSeconds);
  assert.ok('conflict' in planned);
  return planned.conflict;
}

describe('the rotation of a credential with an App Secret', () => {
  for (const methods of [['hmac'], ['parameter-signature'], ['oauth2'], ['hmac', 'key']] as const) {
    it(`keeps the App Key of ${methods.join(' and ')}, and the former App Secret until the grace period ends`, () => {
      const credential = credentialWith({ methods, expiresAt: nowSeconds + 90 * day });
      const rotation = rotationOf(methods);
      const { appSecret } = secretsOf(credential);
      assert.ok(appSecret !== null);
      assert.deepEqual(rotated(credential, rotation), [
        {
          ...credential,
          material: materialWith(rotation.pair.appSecret, { appSecret, expiresAt: nowSeconds + 7 * day }),
        },
      ]);
    });
  }

  it('ends the former App Secret at once without a grace period', () => {
    const credential = credentialWith();
    const rotation = rotationOf(['hmac'], { graceSeconds: 0 });
    assert.deepEqual(rotated(credential, rotation), [
      { ...credential, material: materialWith(rotation.pair.appSecret) },
    ]);
  });

  it('does not end a former App Secret that still works, unless it is forced to', () => {
    const { appSecret } = generatePair('shared-secret');
    assert.ok(appSecret !== null);
    const live = credentialWith({ retiringSecret: { appSecret, expiresAt: nowSeconds + 1 } });
    assert.equal(
      conflictOf(live, rotationOf(['hmac'])),
      'the former App Secret of "acme-1" still works until 2026-09-21T14:13:21Z, and this would end it now',
    );
    const [forced] = rotated(live, rotationOf(['hmac'], { endsFormerSecret: true }));
    assert.equal(secretsOf(forced).retiringSecret?.appSecret, secretsOf(live).appSecret);
    const over = credentialWith({ retiringSecret: { appSecret, expiresAt: nowSeconds } });
    assert.equal(rotated(over, rotationOf(['hmac'])).length, 1);
  });
});

describe('the rotation of a credential with a public key', () => {
  const [former, next] = [publicKey(), publicKey()];
  const credential = credentialWith({ methods: ['http-message-signature'], material: publicKeyMaterial(former) });
  const rotation = (given: Partial<Rotation> = {}): Rotation =>
    rotationOf(['http-message-signature'], { publicKey: next, ...given });

  it('keeps the App Key, and the former key until the grace period ends', () => {
    assert.deepEqual(rotated(credential, rotation()), [
      { ...credential, material: publicKeyMaterial(next, { publicKey: former, expiresAt: nowSeconds + 7 * day }) },
    ]);
  });

  it('ends the former key at once without a grace period', () => {
    assert.deepEqual(rotated(credential, rotation({ graceSeconds: 0 })), [
      { ...credential, material: publicKeyMaterial(next) },
    ]);
  });

  it('needs another key than it has, which only its partner can make', () => {
    assert.equal(
      conflictOf(credential, rotation({ publicKey: null })),
      'the credential "acme-1" has a public key, and only its partner can make another',
    );
    assert.equal(
      conflictOf(credential, rotation({ publicKey: former })),
      'the credential "acme-1" has this public key already',
    );
    assert.equal(
      conflictOf(credentialWith(), rotationOf(['hmac'], { publicKey: next })),
      'the credential "acme-1" has no public key; its new secret is generated',
    );
  });

  it('does not end a former key that still works, unless it is forced to', () => {
    const live = {
      ...credential,
      material: publicKeyMaterial(former, { publicKey: publicKey(), expiresAt: nowSeconds + 1 }),
    };
    assert.equal(
      conflictOf(live, rotation()),
      'the former public key of "acme-1" still works until 2026-09-21T14:13:21Z, and this would end it now',
    );
    assert.equal(rotated(live, rotation({ endsFormerSecret: true })).length, 1);
  });
});

function publicKey(): PublicKey {
  const key = readJwk(generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }));
  assert.ok(key instanceof PublicKey);
  return key;
}

describe('the rotation of a credential of method key', () => {
  it('issues a second one and lets the former one retire', () => {
    const credential = credentialWith({ methods: ['key'], notBefore: 5 });
    const rotation = rotationOf(['key']);
    const { appKey, appKeyHash } = rotation.pair;
    assert.deepEqual(rotated(credential, rotation), [
      { ...credential, id: 'acme-2', appKey, appKeyHash, notBefore: null },
      { ...credential, state: 'retiring', expiresAt: nowSeconds + 7 * day },
    ]);
  });

  it('gives the second one another id than the former one has', () => {
    const credential = credentialWith({ methods: ['key'] });
    const rotation = { ...rotationOf(['key']), successorId: credential.id };
    assert.equal(conflictOf(credential, rotation), `the credential "${credential.id}" already exists`);
  });

  it('keeps only the hash again where that was so', () => {
    const [successor] = rotated(credentialWith({ methods: ['key'], appKey: null }), rotationOf(['key']));
    assert.equal(successor?.appKey, null);
  });

  it('never lets the former one work longer than it would have', () => {
    const expiresAt = nowSeconds + day;
    const [successor, former] = rotated(credentialWith({ methods: ['key'], expiresAt }), rotationOf(['key']));
    assert.deepEqual([successor?.expiresAt, former?.expiresAt], [expiresAt, expiresAt]);
  });

  it('revokes the former one at once without a grace period, or when it has not begun by its end', () => {
    const without = rotated(credentialWith({ methods: ['key'] }), rotationOf(['key'], { graceSeconds: 0 }));
    const later = credentialWith({ methods: ['key'], notBefore: nowSeconds + 8 * day });
    for (const [, former] of [without, rotated(later, rotationOf(['key']))]) {
      assert.deepEqual([former?.state, former?.expiresAt], ['revoked', null]);
    }
  });
});

describe('a credential that cannot be rotated', () => {
  for (const methods of [['hmac'], ['key']] as const) {
    it(`is a revoked, ended or retiring one of ${methods.join()}`, () => {
      assert.match(
        conflictOf(credentialWith({ methods, state: 'revoked' }), rotationOf(methods)),
        /is revoked; issue a new one/,
      );
      assert.match(
        conflictOf(credentialWith({ methods, expiresAt: nowSeconds }), rotationOf(methods)),
        /ended at 2026-09-21T14:13:20Z/,
      );
      const retiring = credentialWith({ methods, state: 'retiring', expiresAt: nowSeconds + 1 });
      assert.match(conflictOf(retiring, rotationOf(methods)), /is retiring and ends at 2026-09-21T14:13:21Z/);
    });
  }
});

describe('any rotation', () => {
  it('leaves every secret at most as long as it had, and one that works now', () => {
    const time = fc.option(fc.integer({ min: nowSeconds - 10 * day, max: nowSeconds + 20 * day }));
    fc.assert(
      fc.property(
        fc.constantFrom<AuthenticationMethod>('key', 'hmac'),
        time,
        time,
        fc.integer({ min: 0, max: 30 * day }),
        (method, notBefore, expiresAt, graceSeconds) => {
          fc.pre(notBefore === null || expiresAt === null || notBefore < expiresAt);
          const credential = credentialWith({ methods: [method], notBefore, expiresAt });
          const planned = planRotation(stored(credential), rotationOf([method], { graceSeconds }), nowSeconds);
          assert.ok(!('problems' in planned));
          if ('conflict' in planned) {
            assert.ok(expiresAt !== null && expiresAt <= nowSeconds);
            return;
          }
          const ends = [
            credential,
            ...planned.changes.flatMap(({ after }) => (after as ManagedCredential | null) ?? []),
          ];
          for (const after of ends.slice(1)) {
            assert.ok((after.expiresAt ?? Infinity) <= (expiresAt ?? Infinity));
            assert.ok(after.expiresAt === null || after.notBefore === null || after.notBefore < after.expiresAt);
            assert.ok(after.state !== 'retiring' || after.expiresAt !== null);
          }
          if (method === 'key') assert.ok(isLive(planned.carrier, nowSeconds));
          assert.ok(planned.formerEndsAt <= nowSeconds + graceSeconds);
        },
      ),
    );
  });
});
