import assert from 'node:assert/strict';
import {
  generateCredentialId,
  generatePair,
  hashOfAppKey,
} from '../../../../src/resources/changes/generate-credential.ts';
import {
  type NewCredential,
  planNewCredential,
  planRevocation,
} from '../../../../src/resources/changes/plan-credential.ts';
import { declareTime } from '../../../../src/resources/declared.ts';
import type { AuthenticationMethod } from '../../../../src/model/endpoint.ts';
import { Secret } from '../../../../src/model/secret.ts';
import { credentialWith, nowSeconds, stored } from './credentials.ts';
import { materialKindOf, withoutFormer } from '../../../../src/model/material.ts';
import { materialWith } from '../../../support/store/secrets.ts';

const free = { id: null, appKey: null };

function wishOf(
  methods: readonly AuthenticationMethod[],
  given: Partial<NewCredential> = {},
): NewCredential & { readonly appKey: Secret } {
  const wish = {
    id: 'acme-1',
    consumerId: 'acme',
    methods,
    ...generatePair(materialKindOf(methods)),
    publicKey: null,
    keepsHashOnly: false,
    fields: {},
    ...given,
  };
  assert.ok(wish.appKey !== null);
  return { ...wish, appKey: wish.appKey };
}

function problemsOf(wish: NewCredential): readonly (readonly [string, string])[] {
  const planned = planNewCredential(wish, free, nowSeconds);
  assert.ok('problems' in planned, JSON.stringify(planned));
  return planned.problems.map(({ path, message }) => [path, message]);
}

describe('a new credential', () => {
  for (const methods of [['key'], ['hmac'], ['parameter-signature'], ['oauth2'], ['hmac', 'key']] as const) {
    it(`is active, with what ${methods.join(' and ')} needs`, () => {
      const wish = wishOf(methods, {
        fields: { notBefore: declareTime(nowSeconds + 5), expiresAt: declareTime(nowSeconds + 10) },
      });
      const planned = planNewCredential(wish, free, nowSeconds);
      assert.ok('changes' in planned);
      const [change] = planned.changes;
      assert.deepEqual(change, {
        kind: 'credential',
        id: 'acme-1',
        before: null,
        after: {
          ...{ id: 'acme-1', consumerId: 'acme', methods, appKey: wish.appKey, appKeyHash: hashOfAppKey(wish.appKey) },
          ...{ material: materialWith(wish.appSecret), state: 'active' },
          ...{ notBefore: nowSeconds + 5, expiresAt: nowSeconds + 10, allowFrom: null },
        },
      });
    });
  }

  it('keeps no more than the hash of an App Key, where that is the secret', () => {
    const wish = wishOf(['key'], { keepsHashOnly: true });
    const planned = planNewCredential(wish, free, nowSeconds);
    assert.ok('changes' in planned && planned.changes[0]?.kind === 'credential');
    const { after } = planned.changes[0];
    assert.deepEqual([after?.appKey, after?.appKeyHash], [null, hashOfAppKey(wish.appKey)]);
    assert.deepEqual(problemsOf(wishOf(['hmac'], { keepsHashOnly: true })), [
      ['appKeyHash', 'only the App Key of method key can be kept as a hash'],
    ]);
  });

  it('obeys the rules of declarative files, in messages without secrets', () => {
    const weak = Secret.fromText('too weak');
    const spaced = Secret.fromText('a b');
    assert.match(problemsOf(wishOf(['hmac'], { appSecret: weak }))[0]?.[1] ?? '', /"appSecret" is too short/);
    assert.match(problemsOf(wishOf(['key'], { appKey: spaced }))[0]?.[1] ?? '', /"appKey" must be 1 to 512/);
    assert.match(
      problemsOf(wishOf(['key'], { appSecret: weak }))[0]?.[1] ?? '',
      /"appSecret" is not for a credential of method key/,
    );
    const told = JSON.stringify([
      problemsOf(wishOf(['hmac'], { appSecret: weak })),
      problemsOf(wishOf(['key'], { appKey: spaced })),
    ]);
    assert.ok(!told.includes('too weak') && !told.includes('a b'));
    const ended = { fields: { expiresAt: declareTime(nowSeconds) } };
    assert.deepEqual(problemsOf(wishOf(['hmac'], ended)), [
      ['expiresAt', '2026-09-21T14:13:20Z is over; the credential would never work'],
    ]);
    const soon = declareTime(nowSeconds + 9);
    const swapped = { fields: { notBefore: soon, expiresAt: soon } };
    assert.deepEqual(problemsOf(wishOf(['hmac'], swapped)), [
      ['expiresAt', '"expiresAt" must be later than "notBefore"'],
    ]);
    assert.match(problemsOf(wishOf(['hmac'], { fields: { state: 'a\u202eb' } }))[0]?.[1] ?? '', /which nobody sees/);
  });

  it('takes neither an id nor an App Key that is taken, and does not repeat the App Key', () => {
    const holder = stored(credentialWith({ id: 'other' }));
    const wish = wishOf(['key']);
    assert.deepEqual(planNewCredential(wish, { id: holder, appKey: null }, nowSeconds), {
      conflict: 'the credential "acme-1" already exists',
      remedy: { kind: 'other-id' },
      holder: {
        ...{ kind: 'credential', id: 'acme-1' },
        unnamed: 'the credential "acme-1" already exists; take another "id"',
      },
    });
    assert.deepEqual(planNewCredential(wish, { id: null, appKey: holder }, nowSeconds), {
      conflict: 'the credential "other" has this App Key; an App Key is never given twice',
      holder: {
        kind: 'credential',
        id: 'other',
        unnamed: 'another credential has this App Key; an App Key is never given twice',
      },
    });
  });

  it('has an id that fits and does not come back', () => {
    for (const consumer of ['acme', 'a'.repeat(63)]) {
      const ids = Array.from({ length: 50 }, () => generateCredentialId(consumer, 'parameter-signature'));
      for (const id of ids) assert.match(id, /^[a-z0-9][a-z0-9-]{0,62}$/);
      assert.equal(new Set(ids).size, ids.length);
    }
  });
});

describe('a revocation', () => {
  it('ends the former secret too, and is made once', () => {
    const { appSecret } = generatePair('shared-secret');
    assert.ok(appSecret !== null);
    const credential = credentialWith({ retiringSecret: { appSecret, expiresAt: nowSeconds + 1 } });
    const revoked = { ...credential, state: 'revoked', material: withoutFormer(credential.material) } as const;
    assert.deepEqual(planRevocation(stored(credential)), [
      { kind: 'credential', id: 'acme-1', before: stored(credential), after: revoked },
    ]);
    assert.deepEqual(planRevocation(stored(revoked)), []);
  });
});
