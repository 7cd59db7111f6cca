import assert from 'node:assert/strict';
import type { IssuerKeys } from '../../../../../src/check/methods/jwt/issuer-keys.ts';
import { IssuerTokens } from '../../../../../src/check/methods/jwt/issuer-tokens.ts';
import { isFaulty } from '../../../../../src/check/methods/jwt/token-faults.ts';
import { compileIssuers } from '../../../../../src/check/store/issuer-table.ts';
import type { Issuer, IssuerKey } from '../../../../../src/model/issuer.ts';
import { issuerKey, issuerToken, knownIssuer } from '../../../../support/jwt/issuer-token.ts';
import { issuer } from '../../../../support/pipeline/resources.ts';
import { fixedClock } from '../../../../support/time/fixed-clock.ts';

const tableOf = (each: Issuer, names = [['azp']]) => compileIssuers([each], new Map([[each.id, names]]));
const noKeys: IssuerKeys = { keysOf: () => null, newerThan: () => null };

/** Keys that a test exchanges, and what was asked of them. */
class TestKeys implements IssuerKeys {
  now: readonly IssuerKey[] | null;
  next: readonly IssuerKey[] | null = null;
  asked = 0;

  constructor(now: readonly IssuerKey[] | null) {
    this.now = now;
  }

  keysOf(): readonly IssuerKey[] | null {
    return this.now;
  }

  newerThan(): Promise<readonly IssuerKey[] | null> {
    this.asked += 1;
    this.now = this.next ?? this.now;
    return Promise.resolve(this.now);
  }
}

describe('a verified token', () => {
  const clock = fixedClock();
  const token = issuerToken();

  it('is remembered with its issuer and all it depends on', async () => {
    const issuers = tableOf(knownIssuer());
    const tokens = new IssuerTokens({ clock, keys: noKeys });
    const first = await tokens.verify(token, issuers);
    assert.equal(await tokens.verify(token, issuers), first);
    assert.ok(!isFaulty(first));
    for (const changed of [
      knownIssuer({ audiences: ['https://others.example'] }),
      knownIssuer({ requiredClaims: { tenant: 'a' } }),
      knownIssuer({ algorithms: ['RS256'] }),
      knownIssuer({ enabled: false }),
      knownIssuer({ issuer: 'https://moved.example' }),
      knownIssuer({ keys: { kind: 'jwks', keys: [issuerKey('ES256', 'another')] } }),
    ]) {
      assert.ok(isFaulty(await tokens.verify(token, tableOf(changed))));
    }
    assert.equal(await tokens.verify(token, issuers), first);
    assert.ok(isFaulty(await tokens.verify(token, tableOf(knownIssuer(), [['sub']]))));
  });

  it('never outlives its exp', async () => {
    const moving = fixedClock();
    const issuers = tableOf(knownIssuer());
    const tokens = new IssuerTokens({ clock: moving, keys: noKeys });
    assert.ok(!isFaulty(await tokens.verify(token, issuers)));
    moving.advance(119);
    assert.ok(!isFaulty(await tokens.verify(token, issuers)));
    moving.advance(1);
    assert.deepEqual(await tokens.verify(token, issuers), { fault: 'expired' });
  });

  it('never outlives its key', async () => {
    const keys = new TestKeys([issuerKey()]);
    const issuers = tableOf(issuer());
    const tokens = new IssuerTokens({ clock, keys });
    assert.ok(!isFaulty(await tokens.verify(token, issuers)));
    keys.now = [issuerKey('RS256')];
    assert.deepEqual(await tokens.verify(token, issuers), { fault: 'noKey' });
    keys.now = [{ ...issuerKey('ES256', 'another') }];
    assert.deepEqual(await tokens.verify(token, issuers), { fault: 'signature' });
  });
});

describe('keys at an address', () => {
  const clock = fixedClock();
  const issuers = tableOf(issuer());

  it('are waited for while there are none', async () => {
    const keys = new TestKeys(null);
    const tokens = new IssuerTokens({ clock, keys });
    assert.deepEqual(await tokens.verify(issuerToken(), issuers), { fault: 'keysUnknown' });
    keys.next = [issuerKey()];
    assert.ok(!isFaulty(await tokens.verify(issuerToken(), issuers)));
    assert.equal(keys.asked, 2);
  });

  it('are asked for anew only by a token whose key is not among them', async () => {
    const keys = new TestKeys([issuerKey('RS256')]);
    const tokens = new IssuerTokens({ clock, keys });
    assert.deepEqual(await tokens.verify(issuerToken(), issuers), { fault: 'noKey' });
    assert.equal(keys.asked, 1);
    keys.next = [issuerKey('RS256'), issuerKey()];
    assert.ok(!isFaulty(await tokens.verify(issuerToken(), issuers)));
    assert.equal(keys.asked, 2);
    const forged = issuerToken({ claims: { azp: 'x' } }).replace(/.{8}$/, 'AAAAAAAA');
    assert.deepEqual(await tokens.verify(forged, issuers), { fault: 'signature' });
    assert.deepEqual(await tokens.verify(issuerToken({ claims: { exp: 1 } }), issuers), { fault: 'expired' });
    assert.deepEqual(await tokens.verify(issuerToken({ claims: { iss: 'x' } }), issuers), { fault: 'unknownIssuer' });
    assert.equal(keys.asked, 2);
  });
});
