import assert from 'node:assert/strict';
import { type EndingCredential, type EndingKind, endingsOf, endsSoon, isInUse } from '../../../src/model/ending.ts';

const now = 1_790_000_000;
const day = 86_400;

function credential(given: Partial<EndingCredential>): EndingCredential {
  return {
    id: 'a',
    state: 'active',
    notBefore: null,
    expiresAt: null,
    formerSecretEndsAt: null,
    certificateEndsAt: null,
    ...given,
  };
}

function kindsOf(given: Partial<EndingCredential>): readonly (readonly [EndingKind, number])[] {
  return endingsOf(credential(given)).map(({ kind, expiresAt }) => [kind, expiresAt]);
}

describe('what ends of a credential', () => {
  it('is itself and its former App Secret, which never outlives it', () => {
    assert.deepEqual(kindsOf({}), []);
    assert.deepEqual(kindsOf({ expiresAt: now }), [['credential', now]]);
    assert.deepEqual(kindsOf({ expiresAt: now, state: 'retiring' }), [['retiring-credential', now]]);
    assert.deepEqual(kindsOf({ formerSecretEndsAt: now }), [['former-secret', now]]);
    assert.deepEqual(kindsOf({ expiresAt: now, formerSecretEndsAt: now + 9 }), [
      ['credential', now],
      ['former-secret', now],
    ]);
  });

  it('is nothing of a revoked one', () => {
    assert.deepEqual(kindsOf({ expiresAt: now, formerSecretEndsAt: now, state: 'revoked' }), []);
  });

  it('ends soon while it works, up to and with the last second of the span', () => {
    const [ending] = endingsOf(credential({ notBefore: now - 5, expiresAt: now + day }));
    assert.ok(ending !== undefined);
    assert.deepEqual(
      [now - 6, now - 5, now, now + day - 1, now + day].map((at) => endsSoon(ending, 2 * day, at)),
      [false, true, true, true, false],
    );
    assert.deepEqual([endsSoon(ending, day - 1, now), endsSoon(ending, day, now)], [false, true]);
  });
});

describe('what partners still use', () => {
  const used = (lastUsedAt: number | null, former: number | null = null) => ({
    lastUsedAt,
    retiringSecretLastUsedAt: former,
  });

  it('is a credential within 31 days, and one that retires within 2', () => {
    for (const [kind, days] of [
      ['credential', 31],
      ['retiring-credential', 2],
    ] as const) {
      assert.equal(isInUse(kind, used(now - days * day + 1), now), true, kind);
      assert.equal(isInUse(kind, used(now - days * day), now), false, kind);
      assert.equal(isInUse(kind, used(null), now), false, kind);
      assert.equal(isInUse(kind, null, now), false, kind);
    }
  });

  it('is a former App Secret until the new one has been in use for a day longer', () => {
    assert.equal(isInUse('former-secret', used(now), now), false, 'never used since the rotation');
    assert.equal(isInUse('former-secret', used(now - 6 * day, now - 6 * day), now), true, 'a partner who calls weekly');
    assert.equal(isInUse('former-secret', used(now, now - day), now), true, 'changed over a day ago, or in part');
    assert.equal(isInUse('former-secret', used(now, now - day - 1), now), false, 'changed over');
    assert.equal(isInUse('former-secret', used(now - 7 * day, now - 7 * day), now), false, 'long ago');
  });

  it('is not known of a grant', () => {
    assert.equal(isInUse('grant', null, now), null);
  });
});
