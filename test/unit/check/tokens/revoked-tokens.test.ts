import assert from 'node:assert/strict';
import {
  keepRevokedTokensInProcess,
  revocationBounds,
  RevokedTokenList,
} from '../../../../src/check/tokens/revoked-tokens.ts';
import { fixedClock, NOON } from '../../../support/time/fixed-clock.ts';

const token = (tokenId: string, credentialId = 'acme-oauth2', expiresAt = NOON + 3600, consumerId = 'acme') => ({
  tokenId,
  consumerId,
  credentialId,
  expiresAt,
});

describe('the list of revoked tokens', () => {
  it('knows what was revoked, and nothing else', async () => {
    const revoked = keepRevokedTokensInProcess(fixedClock());
    assert.equal(revoked.isRevoked('a'), false);
    assert.equal(await revoked.revoke(token('a')), 'listed');
    assert.equal(await revoked.revoke(token('a')), 'listed');
    assert.deepEqual([revoked.isRevoked('a'), revoked.isRevoked('b')], [true, false]);
  });

  it('forgets tokens when they have surely expired, not before', () => {
    const clock = fixedClock();
    const list = new RevokedTokenList(clock);
    list.add(token('long'));
    list.add(token('over', 'acme-oauth2', NOON));
    assert.equal(list.size, 2);
    clock.advance(3599);
    list.add(token('new', 'acme-oauth2', NOON + 7000));
    assert.deepEqual([list.has('long'), list.has('over'), list.size], [true, true, 3]);
    clock.advance(61);
    list.add(token('newer', 'acme-oauth2', NOON + 7200));
    assert.deepEqual([list.has('long'), list.has('over'), list.size], [false, false, 2]);
  });

  it('keeps them when the clock is set forward and back, before or after they were listed', () => {
    const clock = fixedClock();
    const list = new RevokedTokenList(clock);
    list.add(token('a'));
    clock.set(7200);
    clock.advance(600);
    list.add(token('b', 'acme-oauth2', NOON + 3000));
    clock.set(-7200);
    clock.advance(600);
    list.add(token('c'));
    assert.deepEqual([list.has('a'), list.has('b'), list.has('c')], [true, true, true]);
    clock.set(-1000);
    clock.advance(2900);
    list.add(token('d'));
    // The one by the clock, the other by the time that went by.
    assert.deepEqual([list.has('a'), list.has('b')], [true, true]);
  });

  it('keeps none for longer than a day, however far ahead the clock was', () => {
    const clock = fixedClock();
    const list = new RevokedTokenList(clock);
    list.add(token('a', 'acme-oauth2', NOON + 315_360_000));
    clock.advance(86_460);
    assert.equal(list.hasRoomFor({ consumerId: 'acme', credentialId: 'acme-oauth2' }), true);
    assert.equal(list.size, 0);
  });

  it('has no room for more of one credential than its share, until some expire', async () => {
    const clock = fixedClock();
    const revoked = keepRevokedTokensInProcess(clock);
    for (let count = 0; count < revocationBounds.perCredential; count += 1) {
      assert.equal(await revoked.revoke(token(String(count), 'acme', NOON + 60)), 'listed');
    }
    assert.equal(await revoked.revoke(token('one more', 'acme')), 'full');
    assert.equal(revoked.isRevoked('one more'), false);
    assert.equal(await revoked.revoke(token('0', 'acme')), 'listed');
    assert.equal(await revoked.revoke(token('of another', 'borealis')), 'listed');
    clock.advance(3600);
    assert.equal(await revoked.revoke(token('one more', 'acme')), 'listed');
  });

  it('has room for others, however many credentials one consumer has, until its tokens expire', async () => {
    const clock = fixedClock();
    const revoked = keepRevokedTokensInProcess(clock);
    const kept = new Map<string, number>();
    for (let count = 0; count < revocationBounds.tokens; count += 1) {
      const credentialId = `acme-${String(count % 12)}`;
      const outcome = await revoked.revoke(token(String(count), credentialId, NOON + 60));
      if (outcome === 'listed') kept.set(credentialId, (kept.get(credentialId) ?? 0) + 1);
    }
    const all = [...kept.values()].reduce((sum, each) => sum + each, 0);
    assert.ok(all > 0.6 * revocationBounds.tokens && all <= 0.67 * revocationBounds.tokens, String(all));
    assert.ok(Math.max(...kept.values()) <= revocationBounds.perCredential);
    assert.equal(await revoked.revoke(token('one more', 'acme-0')), 'full');
    for (let count = 0; count < revocationBounds.perCredential; count += 1) {
      assert.equal(await revoked.revoke(token(`b-${String(count)}`, 'one', NOON + 60, 'borealis')), 'listed');
    }
    clock.advance(3600);
    assert.equal(await revoked.revoke(token('one more', 'acme-0')), 'listed');
  });

  it('counts tokens of an earlier version, which name no consumer, for their credential and all', () => {
    const list = new RevokedTokenList(fixedClock());
    for (let count = 0; count < 9000; count += 1) list.add({ ...token(String(count), 'old'), consumerId: undefined });
    assert.equal(list.hasRoomFor({ consumerId: 'acme', credentialId: 'old' }), true);
    for (let count = 9000; count < 10_000; count += 1)
      list.add({ ...token(String(count), 'old'), consumerId: undefined });
    assert.equal(list.hasRoomFor({ consumerId: 'acme', credentialId: 'old' }), false);
    assert.equal(list.hasRoomFor({ consumerId: 'acme', credentialId: 'new' }), true);
  });

  it('is bounded as a whole', () => {
    const list = new RevokedTokenList(fixedClock());
    for (let count = 0; count < revocationBounds.tokens; count += 1) {
      list.add(token(String(count), `credential-${String(count % 100)}`, NOON + 3600, `c-${String(count % 100)}`));
    }
    assert.equal(list.hasRoomFor({ consumerId: 'somebody', credentialId: 'else' }), false);
  });
});
