import assert from 'node:assert/strict';
import type { IssuerTable } from '../../../../src/check/store/check-store.ts';
import { compileIssuers } from '../../../../src/check/store/issuer-table.ts';
import { FetchFailure } from '../../../../src/gateway/issuer-keys/fetch-failure.ts';
import { FetchedIssuerKeys } from '../../../../src/gateway/issuer-keys/fetched-issuer-keys.ts';
import type { FetchedKeys } from '../../../../src/gateway/issuer-keys/fetch-jwks.ts';
import type { CompiledIssuer, Issuer, IssuerKey } from '../../../../src/model/issuer.ts';
import { issuerKey, knownIssuer } from '../../../support/jwt/issuer-token.ts';
import { issuer } from '../../../support/pipeline/resources.ts';
import { ManualTime, settle } from '../../../support/time/manual-time.ts';

const tableOf = (...issuers: readonly Issuer[]): IssuerTable => compileIssuers(issuers, new Map());
const idp = issuer();
const [compiled] = tableOf(idp).all as readonly [CompiledIssuer];
const first = [issuerKey('ES256')];
const second = [issuerKey('RS256')];
const failure = new FetchFailure('status', 'the host answers 500 instead of 200');

/** The keys of issuers, with a host that answers when a test says so. */
function setUp(issuers: IssuerTable | null = tableOf(idp)) {
  const time = new ManualTime();
  const events: string[] = [];
  const open: { readonly uri: string; readonly stop: AbortSignal; answer(with_: FetchedKeys | Error): void }[] = [];
  const state = { issuers };
  const keys = new FetchedIssuerKeys({
    fetch: async (uri, stop) =>
      await new Promise((resolve, reject) => {
        open.push({
          uri,
          stop,
          answer: (answered) => {
            if (answered instanceof Error) reject(answered);
            else resolve(answered);
          },
        });
      }),
    issuers: () => state.issuers,
    clock: time,
    startTimer: time.startTimer,
    random: () => 0.5,
    observer: {
      fetched: (id, _keys, isChanged) => events.push(`fetched ${id}${isChanged ? ', changed' : ''}`),
      failed: (id, { reason }, { hasKeys, isFirst }) =>
        events.push(`failed ${id} ${reason}${hasKeys ? ', has keys' : ''}${isFirst ? ', first' : ''}`),
      recovered: (id) => events.push(`recovered ${id}`),
      defect: (error) => events.push(`defect ${String(error)}`),
      forgotten: (id) => events.push(`forgotten ${id}`),
    },
  });
  const answer = async (answered: readonly IssuerKey[] | Error): Promise<void> => {
    const fetch = open.shift();
    assert.ok(fetch !== undefined, 'nothing was asked');
    fetch.answer(answered instanceof Error ? answered : { keys: answered, faulty: 0, lifeSeconds: 600 });
    await settle();
  };
  return { time, events, open, state, keys, answer };
}

describe('the keys of an issuer at an address', () => {
  it('are fetched as soon as the store was read, and again before they are out of date', async () => {
    const { time, open, state, keys, answer } = setUp(null);
    assert.equal(open.length, 0);
    state.issuers = tableOf(idp, knownIssuer({ id: 'other', issuer: 'https://other.example' }));
    await time.advance(1000);
    assert.deepEqual(
      open.map(({ uri }) => uri),
      ['https://idp.partner.example/keys'],
    );
    assert.equal(keys.keysOf(compiled), null);
    await answer(first);
    assert.equal(keys.keysOf(compiled), first);
    await time.advance(494_000);
    assert.equal(open.length, 0);
    await time.advance(1000);
    assert.equal(open.length, 1);
  });

  it('stay the same array while nothing in them changes', async () => {
    const { time, events, keys, answer } = setUp();
    await answer(first);
    await time.advance(500_000);
    await answer([issuerKey('ES256')]);
    assert.equal(keys.keysOf(compiled), first);
    await time.advance(500_000);
    await answer([{ ...issuerKey('ES256'), kid: 'another' }]);
    assert.notEqual(keys.keysOf(compiled), first);
    assert.deepEqual(events, ['fetched partner-idp, changed', 'fetched partner-idp', 'fetched partner-idp, changed']);
  });

  it('stay in force while the issuer cannot be asked, however long', async () => {
    const { time, events, keys, answer } = setUp();
    await answer(first);
    await time.advance(495_000);
    for (const afterMs of [5000, 10_000, 20_000, 40_000, 60_000, 60_000]) {
      await answer(failure);
      await time.advance(afterMs);
      assert.equal(keys.keysOf(compiled), first);
    }
    assert.deepEqual(keys.agesSeconds(), { 'partner-idp': 690 });
    await answer(second);
    assert.equal(keys.keysOf(compiled), second);
    assert.deepEqual(keys.agesSeconds(), { 'partner-idp': 0 });
    assert.deepEqual(events.slice(0, 3), [
      'fetched partner-idp, changed',
      'failed partner-idp status, has keys, first',
      'failed partner-idp status, has keys',
    ]);
    assert.deepEqual(events.slice(-2), ['recovered partner-idp', 'fetched partner-idp, changed']);
  });

  it('are waited for by those who come before the first, but not for ever', async () => {
    const { time, keys, answer } = setUp();
    const waiting = [null, null].map(async () => await keys.newerThan(null, compiled));
    await answer(first);
    assert.deepEqual(await Promise.all(waiting), [first, first]);

    const slow = setUp();
    const given = slow.keys.newerThan(null, compiled);
    await slow.time.advance(3000);
    assert.equal(await given, null);
    assert.equal(time.timers > 0, true);
  });

  it('are not waited for after a failure, until it is tried again', async () => {
    const { time, open, keys, answer } = setUp();
    const given = keys.newerThan(null, compiled);
    await answer(failure);
    assert.equal(await given, null);
    assert.equal(keys.newerThan(null, compiled), null);
    assert.equal(open.length, 0);
    await time.advance(5000);
    const later = keys.newerThan(null, compiled);
    await answer(first);
    assert.equal(await later, first);
  });

  it('are fetched for an unknown key once a minute, together for all who ask', async () => {
    const { time, open, keys, answer } = setUp();
    await answer(first);
    const asked = [first, first].map(async (known) => await keys.newerThan(known, compiled));
    assert.equal(open.length, 1);
    await answer(second);
    assert.deepEqual(await Promise.all(asked), [second, second]);
    assert.equal(keys.newerThan(first, compiled), second, 'others were fetched meanwhile');
    for (let count = 0; count < 100; count += 1) assert.equal(keys.newerThan(second, compiled), second);
    assert.equal(open.length, 0);
    await time.advance(59_999);
    assert.equal(keys.newerThan(second, compiled), second);
    await time.advance(1);
    const again = keys.newerThan(second, compiled);
    await answer(failure);
    assert.equal(await again, second);
  });

  it('make a bounded number of checks wait', async () => {
    const { keys, answer } = setUp();
    const waiting = Array.from({ length: 1000 }, async () => await keys.newerThan(null, compiled));
    assert.equal(keys.newerThan(null, compiled), null);
    await answer(first);
    assert.ok((await Promise.all(waiting)).every((each) => each === first));
  });

  it('are forgotten with the issuer, and at once when they are elsewhere', async () => {
    const { time, events, state, keys, answer, open } = setUp();
    await answer(first);
    const moved = issuer({ keys: { kind: 'uri', jwksUri: 'https://elsewhere.example/keys' } });
    const [movedIssuer] = tableOf(moved).all as readonly [CompiledIssuer];
    assert.equal(keys.keysOf(movedIssuer), null);
    state.issuers = tableOf(moved);
    await time.advance(1000);
    assert.deepEqual(
      open.map(({ uri }) => uri),
      ['https://elsewhere.example/keys'],
    );
    assert.equal(keys.keysOf(compiled), null);
    await answer(second);
    for (const gone of [issuer({ enabled: false }), knownIssuer()]) {
      state.issuers = tableOf(gone);
      await time.advance(1000);
      assert.equal(keys.keysOf(movedIssuer), null);
    }
    assert.deepEqual(keys.agesSeconds(), {});
    assert.deepEqual(
      events.filter((event) => event.startsWith('forgotten')),
      ['forgotten partner-idp', 'forgotten partner-idp'],
    );
    assert.equal(time.timers, 1);
  });

  it('end a fetch under way with the issuer, whatever it gives then', async () => {
    const { time, events, state, open } = setUp();
    const [fetch] = open;
    state.issuers = tableOf();
    await time.advance(1000);
    assert.equal(fetch?.stop.aborted, true);
    fetch.answer({ keys: first, faulty: 0, lifeSeconds: 600 });
    await time.advance(1000);
    assert.deepEqual(events, ['forgotten partner-idp']);
  });

  it('are as before after a defect, which is told', async () => {
    const { time, events, keys, answer } = setUp();
    await answer(first);
    await time.advance(495_000);
    await answer(new TypeError('a defect'));
    assert.equal(keys.keysOf(compiled), first);
    await time.advance(5000);
    await answer(second);
    assert.deepEqual(events.slice(1), [
      'defect TypeError: a defect',
      'recovered partner-idp',
      'fetched partner-idp, changed',
    ]);
  });

  it('are left alone when the gateway stops', async () => {
    const { time, open, keys } = setUp();
    keys[Symbol.dispose]();
    assert.deepEqual(
      open.map(({ stop }) => stop.aborted),
      [true],
    );
    assert.equal(keys.newerThan(null, compiled), null);
    await time.advance(100_000);
    assert.equal(time.timers, 0);
    assert.equal(open.length, 1);
  });
});
