import assert from 'node:assert/strict';
import fc from 'fast-check';
import { textOf } from '../../../../src/resources/changes/generate-credential.ts';
import { findToken, issueToken, operatorOfToken } from '../../../../src/resources/changes/operator-token.ts';
import {
  planNewOperator,
  planNewToken,
  planOperatorEdit,
  planTokenRevocation,
} from '../../../../src/resources/changes/plan-operator.ts';
import type { Change } from '../../../../src/resources/changes/change.ts';
import { allows, MAX_TOKENS, type Operator, operatorDefaults, operatorRoles } from '../../../../src/model/operator.ts';
import { declareOperator } from '../../../../src/resources/operator.ts';
import type { Stored } from '../../../../src/resources/resource.ts';

const now = 1_790_000_000;
const stored = (resource: Operator): Stored<Operator> => ({ resource, revision: 1, createdAt: now, updatedAt: now });
const alice: Operator = { ...operatorDefaults, id: 'alice', role: 'viewer' };

function operatorIn(changes: readonly Change[] | null): Operator {
  const [change] = changes ?? [];
  assert.ok(change?.kind === 'operator' && change.after !== null);
  return change.after;
}

describe('tokens of operators', () => {
  it('are found until they end, and nothing but the whole text is one', () => {
    const { text, token } = issueToken('alice', now, now + 60);
    const whole = textOf(text);
    const holder = { ...alice, tokens: [token] };
    assert.match(whole, /^pot_alice\.[A-Za-z0-9_-]{43}$/);
    assert.equal(operatorOfToken(whole), 'alice');
    assert.equal(findToken(holder, whole, now + 59)?.id, token.id);
    assert.equal(findToken(holder, whole, now + 60), null);
    fc.assert(
      fc.property(fc.nat({ max: whole.length - 1 }), fc.string({ minLength: 1, maxLength: 1 }), (at, character) => {
        const other = `${whole.slice(0, at)}${character}${whole.slice(at + 1)}`;
        assert.equal(findToken(holder, other, now) !== null, other === whole);
      }),
    );
  });

  it('name no operator in another form', () => {
    for (const text of ['', 'pot_', 'pot_alice', 'pot_Alice.'.padEnd(53, 'A'), `pot_alice.${'A'.repeat(42)}`]) {
      assert.equal(operatorOfToken(text), null, text);
    }
  });
});

describe('planning operators', () => {
  it('makes one with a token, of which only the hash is kept', () => {
    const issued = issueToken('bob', now, now + 60);
    const planned = planNewOperator('bob', { role: 'admin', 'selector.team': 'payments' }, issued, null);
    assert.ok('changes' in planned);
    const made = operatorIn(planned.changes);
    assert.deepEqual([made.role, made.selector, made.tokens], ['admin', { team: 'payments' }, [issued.token]]);
    assert.ok(!JSON.stringify(declareOperator(made)).includes(issued.token.hash));
  });

  it('says what is wrong with a role, and with a token that is over or works for more than a year', () => {
    const wrong = planNewOperator('bob', { role: 'root' }, null, null);
    assert.ok('problems' in wrong);
    assert.deepEqual(
      wrong.problems.map(({ path, message }) => [path, message.slice(0, 18)]),
      [['role', '"role" must be "vi']],
    );
    const over = planNewOperator('bob', { role: 'viewer' }, issueToken('bob', now, now), null);
    assert.ok('problems' in over);
    assert.match(over.problems[0]?.message ?? '', /is over; the token would never work$/);
    const year = 366 * 86_400;
    assert.ok('changes' in planNewOperator('bob', { role: 'viewer' }, issueToken('bob', now, now + year), null));
    const long = planNewToken(stored(alice), issueToken('alice', now, now + year + 1));
    assert.ok('problems' in long);
    assert.deepEqual(long.problems, [{ path: 'expires', message: 'a token works for a year at most, such as 365d' }]);
    assert.ok('conflict' in planNewOperator('alice', { role: 'viewer' }, null, stored(alice)));
  });

  it('keeps tokens through an edit, and makes room of those that ended', () => {
    const tokens = Array.from({ length: MAX_TOKENS }, () => issueToken('alice', now - 100, now + 100).token);
    const edited = planOperatorEdit(stored({ ...alice, tokens }), { role: 'support' });
    assert.ok('changes' in edited);
    assert.deepEqual(operatorIn(edited.changes).tokens, tokens);
    const full = planNewToken(stored({ ...alice, tokens }), issueToken('alice', now, now + 60));
    assert.ok('conflict' in full && full.conflict.includes('has 20 tokens already; revoke one'));
    const later = planNewToken(stored({ ...alice, tokens }), issueToken('alice', now + 100, now + 200));
    assert.ok('changes' in later);
    assert.equal(operatorIn(later.changes).tokens.length, 1);
  });

  it('revokes the token of an id, and no other', () => {
    const [first, second] = [issueToken('alice', now, now + 60).token, issueToken('alice', now, now + 60).token];
    const holder = stored({ ...alice, tokens: [first, second] });
    assert.deepEqual(operatorIn(planTokenRevocation(holder, first.id)).tokens, [second]);
    assert.equal(planTokenRevocation(holder, 'none'), null);
  });

  it('gives each role all that the one before has', () => {
    const permissions = ['read', 'read-traces', 'change-consumers', 'change-endpoints', 'change-operators'] as const;
    const counts = operatorRoles.map((role) => permissions.filter((each) => allows(role, each)).length);
    assert.deepEqual(counts, [1, 2, 3, 5]);
    for (const each of permissions) {
      const allowed = operatorRoles.map((role) => allows(role, each));
      assert.deepEqual(allowed, [...allowed].sort());
    }
  });
});
