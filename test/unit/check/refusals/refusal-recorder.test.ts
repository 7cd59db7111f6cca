import assert from 'node:assert/strict';
import { type RefusalAllowances, refusalAllowances } from '../../../../src/check/refusals/refusal-budget.ts';
import { isRecord, type RefusalEntry } from '../../../../src/check/refusals/refusal-record.ts';
import { RefusalRecorder } from '../../../../src/check/refusals/refusal-recorder.ts';
import { NOON } from '../../../support/time/fixed-clock.ts';
import { ManualTime } from '../../../support/time/manual-time.ts';
import { refused, refusedOf, refusedUnmatched } from '../../../support/refusals/refused.ts';

const few: RefusalAllowances = {
  ofConsumer: { burst: 3, perSecond: 0.1 },
  inAll: { burst: 6, perSecond: 1 },
  reserve: 2,
  fewOfConsumer: 1,
  unmatched: { near: { burst: 2, perSecond: 0.1 }, stray: { burst: 1, perSecond: 0.1 } },
  maxConsumers: 10,
};

function testRecorder(allowances?: RefusalAllowances, keepsSource = true) {
  const time = new ManualTime();
  const kept: RefusalEntry[] = [];
  const recorder = new RefusalRecorder({
    clock: time,
    startTimer: time.startTimer,
    keepsSource,
    keep: (entry) => kept.push(entry),
    allowances,
  });
  const refuse = (consumerId: string, times: number): void => {
    for (let count = 0; count < times; count += 1) recorder.record(refusedOf(consumerId));
  };
  /** Whose refusals were kept, and how many were left out before each. */
  const short = (): string[] =>
    kept.map((entry) => `${isRecord(entry) ? '' : 'note '}${entry.consumerId ?? 'nobody'} ${String(entry.leftOut)}`);
  return { time, kept, recorder, refuse, short };
}

describe('the record of refusals that no endpoint took', () => {
  it('has the request and why, and nothing of a caller', async () => {
    const { recorder, kept, time } = testRecorder();
    recorder.record(refusedUnmatched());
    await time.advance(0);
    const [{ id, ...entry } = { id: '' }] = kept;
    assert.match(id, /^[0-9a-f]{24}$/);
    assert.deepEqual(entry, {
      atMs: NOON * 1000,
      requestId: 'r-1',
      endpointId: null,
      method: 'POST',
      path: '/orders/7',
      code: 'ENDPOINT_NOT_FOUND',
      detail: 'the endpoint orders takes GET; the request is POST',
      isObserved: false,
      consumerId: null,
      credentialId: null,
      sourceAddress: '192.0.2.7',
      stringToSign: null,
      leftOut: 0,
    });
  });

  it('has bounds of its own, near misses apart, which take nothing of the consumers', async () => {
    const { recorder, refuse, short, time } = testRecorder(few);
    for (let count = 0; count < 5; count += 1) recorder.record(refusedUnmatched('stray'));
    for (let count = 0; count < 5; count += 1) recorder.record(refusedUnmatched('near'));
    refuse('acme', 3);
    await time.advance(0);
    assert.deepEqual(short(), ['nobody 0', 'nobody 4', 'nobody 0', 'acme 0', 'acme 0', 'acme 0']);
    assert.deepEqual(recorder.leftOut, { consumer: 0, replica: 0, unmatched: 7, room: 0 });
    await time.advance(10_000);
    assert.deepEqual(short().slice(6), ['note nobody 3']);
  });
});

describe('the record of refusals', () => {
  it('has what an operator needs to see what failed, and nothing else', async () => {
    const { recorder, kept, time } = testRecorder();
    recorder.record(refused());
    assert.deepEqual(kept, [], 'nothing is made before the answer is on its way');
    await time.advance(0);
    const [{ id, ...entry } = { id: '' }] = kept;
    assert.match(id, /^[0-9a-f]{24}$/);
    assert.deepEqual(entry, {
      atMs: NOON * 1000,
      requestId: 'r-1',
      endpointId: 'orders',
      method: 'GET',
      path: '/orders/7',
      code: 'AUTHENTICATION_FAILED',
      detail: 'the signature does not fit the request',
      isObserved: false,
      consumerId: 'acme',
      credentialId: 'acme-hmac',
      sourceAddress: '192.0.2.7',
      stringToSign: null,
      ownedBy: [],
      leftOut: 0,
    });
  });

  it('has no address where that is turned off, and does not ask for one', async () => {
    const { recorder, kept, time } = testRecorder(undefined, false);
    const findSource = (): never => assert.fail('asked for the address');
    recorder.record(refused({ findSource }));
    await time.advance(0);
    assert.deepEqual(
      kept.filter(isRecord).map(({ sourceAddress }) => sourceAddress),
      [null],
    );
  });

  it('does the same until the answer for callers who are known, are not, or have used up their share', async () => {
    const { recorder, refuse, kept, time } = testRecorder(few);
    refuse('acme', 3);
    await time.advance(0);
    let asked = 0;
    const findSource = (): string => {
      asked += 1;
      return '192.0.2.7';
    };
    for (const refusal of [refused({ about: null, findSource }), { ...refusedOf('acme'), findSource }]) {
      recorder.record(refusal);
      assert.equal(time.timers, 1);
      assert.deepEqual(
        recorder.leftOut,
        { consumer: 0, replica: 0, unmatched: 0, room: 0 },
        'what depends on the caller comes later',
      );
      await time.advance(0);
    }
    assert.equal(asked, 2);
    assert.equal(kept.length, 3);
    assert.deepEqual(recorder.leftOut, { consumer: 1, replica: 0, unmatched: 0, room: 0 });
  });

  it('reads the request before its memory is used again', async () => {
    const { recorder, kept, time } = testRecorder();
    const request = { method: 'GET', path: '/orders/7' };
    recorder.record(refused({ request }));
    Object.assign(request, { method: 'PUT', path: '/others/secret' });
    await time.advance(0);
    assert.deepEqual(
      kept.filter(isRecord).map(({ method, path }) => [method, path]),
      [['GET', '/orders/7']],
    );
  });

  it('leaves out what is beyond the share of a consumer, and the next record says how many', async () => {
    const { recorder, refuse, time, short } = testRecorder(few);
    refuse('acme', 5);
    await time.advance(0);
    assert.deepEqual(short(), ['acme 0', 'acme 0', 'acme 0']);
    assert.deepEqual(recorder.leftOut, { consumer: 2, replica: 0, unmatched: 0, room: 0 });
    await time.advance(9_999);
    refuse('acme', 1);
    await time.advance(1);
    assert.deepEqual(short().slice(3), ['note acme 3'], 'when no refusal is kept that could say so');
    await time.advance(10_000);
    refuse('acme', 2);
    await time.advance(0);
    assert.deepEqual(short().slice(4), ['acme 0']);
    await time.advance(10_000);
    assert.deepEqual(short().slice(5), ['note acme 1']);
    assert.equal(time.timers, 0);
  });

  it('keeps the last room of all for consumers of whom little was kept', async () => {
    const { recorder, refuse, time, short } = testRecorder(few);
    refuse('noisy', 3);
    refuse('loud', 3);
    await time.advance(0);
    assert.deepEqual(short(), ['noisy 0', 'noisy 0', 'noisy 0', 'loud 0']);
    refuse('quiet', 2);
    await time.advance(0);
    assert.deepEqual(short().slice(4), ['quiet 0']);
    assert.deepEqual(recorder.leftOut, { consumer: 0, replica: 3, unmatched: 0, room: 0 });
  });

  it('counts what was kept and had no room until it could be written', async () => {
    const { recorder, refuse, kept, time, short } = testRecorder(few);
    refuse('acme', 1);
    await time.advance(0);
    for (const entry of kept) recorder.dropped(entry);
    assert.deepEqual(recorder.leftOut, { consumer: 0, replica: 0, unmatched: 0, room: 1 });
    refuse('acme', 1);
    await time.advance(0);
    assert.deepEqual(short(), ['acme 0', 'acme 1']);
  });

  it('notes at its end what it left out, and starts nothing more', async () => {
    const { recorder, refuse, time, short } = testRecorder({ ...few, ofConsumer: { burst: 1, perSecond: 1 } });
    refuse('acme', 3);
    await time.advance(0);
    time.set((NOON + 5) * 1000);
    recorder[Symbol.dispose]();
    assert.deepEqual(short(), ['acme 0', 'note acme 2']);
    assert.equal(time.timers, 0);
  });

  it('stays within its bounds in a flood, and keeps a quiet consumer', async () => {
    const { recorder, refuse, time, kept } = testRecorder();
    const refusals = 100_000;
    for (let at = 0; at < refusals; at += 1) recorder.record(refusedOf(`noisy-${String(at % 50)}`));
    refuse('quiet', 3);
    await time.advance(0);
    const { burst } = refusalAllowances.inAll;
    const ofQuiet = kept.filter(({ consumerId }) => consumerId === 'quiet').length;
    assert.ok(kept.length <= burst, `${String(kept.length)} records`);
    assert.equal(ofQuiet, 3);
    const { consumer, replica } = recorder.leftOut;
    assert.equal(kept.length + consumer + replica, refusals + 3);
  });

  it('names each record by another id, growing with time', async () => {
    const { refuse, time, kept } = testRecorder();
    refuse('acme', 300);
    await time.advance(1000);
    refuse('acme', 1);
    await time.advance(0);
    const ids = kept.map(({ id }) => id);
    assert.equal(new Set(ids).size, 301);
    assert.ok(ids.slice(0, -1).every((id) => id < (ids.at(-1) ?? '')));
  });
});
