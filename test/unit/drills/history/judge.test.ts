import assert from 'node:assert/strict';
import type { Asked, Changed, History } from '../../../../drills/history/history.ts';
import { judge } from '../../../../drills/history/judge.ts';

const promises = { revokedWithinMs: 5000 };

function asked(parts: Partial<Asked> = {}): Asked {
  const startMs = parts.startMs ?? 1000;
  return {
    replica: 0,
    credential: 'acme-hmac',
    consumer: 'acme',
    signature: null,
    startMs,
    endMs: startMs + 5,
    outcome: 'ALLOWED',
    ...parts,
  };
}

function changed(parts: Partial<Changed> = {}): Changed {
  return { subject: 'consumer/acme', value: '1', startMs: 1000, endMs: 1100, told: 'made', ...parts };
}

/** A history in which everything is counted, unless it says otherwise. */
function historyOf(parts: Partial<History>): History {
  const all = parts.asked ?? [];
  const counted = new Map<string, number>();
  for (const { consumer, outcome } of all) {
    if (outcome === 'ALLOWED') counted.set(consumer, (counted.get(consumer) ?? 0) + 1);
  }
  return { asked: all, changed: [], final: new Map(), counted, ...parts };
}

const faults = (parts: Partial<History>): readonly string[] =>
  judge(historyOf(parts), promises).map(({ promise, text }) => `${promise}: ${text}`);

describe('the judge of a history', () => {
  it('has nothing against what is promised', () => {
    const history: Partial<History> = {
      asked: [
        asked({ signature: 'a' }),
        asked({ signature: 'a', outcome: 'REQUEST_REPLAYED' }),
        asked({ signature: 'b', outcome: 'no answer' }),
        asked({ signature: 'b' }),
        asked({ credential: 'k', startMs: 6999 }),
        asked({ credential: 'k', startMs: 8000, outcome: 'AUTHENTICATION_FAILED' }),
      ],
      changed: [
        changed({ subject: 'credential/k', value: 'revoked', startMs: 1900, endMs: 2000 }),
        changed({ value: '1' }),
        changed({ value: '2', told: 'unknown' }),
        changed({ value: '3', told: 'not made' }),
      ],
      final: new Map([
        ['credential/k', 'revoked'],
        ['consumer/acme', '2'],
      ]),
    };
    assert.deepEqual(faults(history), []);
    assert.deepEqual(faults({ ...history, final: new Map([...(history.final ?? []), ['consumer/acme', '1']]) }), []);
  });

  it('finds a signature that two replicas accepted', () => {
    const twice = [asked({ signature: 'a' }), asked({ signature: 'a', replica: 1, startMs: 3500 })];
    assert.deepEqual(faults({ asked: twice }), [
      'once: a signature of acme-hmac was accepted 2 times: by replica 0 at 0.01 s, by replica 1 at 2.50 s',
    ]);
  });

  it('finds a credential that is accepted long after it was revoked', () => {
    const revoked = changed({ subject: 'credential/k', value: 'revoked', endMs: 2000 });
    const late = asked({ credential: 'k', replica: 1, startMs: 7001 });
    const final = new Map([['credential/k', 'revoked']]);
    assert.deepEqual(faults({ asked: [late], changed: [revoked], final }), [
      'revoked: k, revoked at 1.00 s, was accepted by replica 1 at 6.00 s',
    ]);
    for (const told of ['unknown', 'not made'] as const) {
      assert.deepEqual(faults({ asked: [late], changed: [{ ...revoked, told }], final }), []);
    }
  });

  it('finds an acknowledged change that is not there', () => {
    const changes = [changed({ value: '1' }), changed({ value: '2' }), changed({ value: '3', told: 'not made' })];
    assert.deepEqual(faults({ changed: changes, final: new Map([['consumer/acme', '1']]) }), [
      'kept: consumer/acme is 1, and its last acknowledged change made it 2',
    ]);
    assert.deepEqual(faults({ changed: changes }), [
      'kept: consumer/acme is not there, and its last acknowledged change made it 2',
    ]);
    assert.deepEqual(faults({ changed: [changed({ told: 'unknown' })] }), []);
  });

  it('finds counts that are not the answers', () => {
    const some = [asked(), asked(), asked({ outcome: 'no answer' }), asked({ outcome: 'NOT_AUTHORIZED' })];
    for (const [count, found] of [
      [1, ['counted: acme has 1 counted, and got 2 to 3']],
      [2, []],
      [3, []],
      [4, ['counted: acme has 4 counted, and got 2 to 3']],
    ] as const) {
      assert.deepEqual(faults({ asked: some, counted: new Map([['acme', count]]) }), found);
    }
    assert.deepEqual(faults({ asked: [asked()], counted: new Map() }), ['counted: acme has 0 counted, and got 1']);
  });
});
