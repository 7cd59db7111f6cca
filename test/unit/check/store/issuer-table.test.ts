import assert from 'node:assert/strict';
import { compileIssuers, noIssuers } from '../../../../src/check/store/issuer-table.ts';
import { issuer } from '../../../support/pipeline/resources.ts';

describe('the issuers of a catalog', () => {
  const names = new Map([['partner-idp', [['azp'], ['azp', 'tenant']]]]);

  it('are found by "iss" to the byte, with the claims that credentials name', () => {
    const table = compileIssuers([issuer(), issuer({ id: 'other', issuer: 'https://other.example/' })], names);
    assert.deepEqual(table.find('https://idp.partner.example')?.claimNames, [['azp'], ['azp', 'tenant']]);
    assert.deepEqual(table.find('https://other.example/')?.claimNames, []);
    assert.equal(table.find('https://other.example'), null);
    assert.equal(table.find('partner-idp'), null);
  });

  it('are the same objects again while nothing of them changed, whatever else did', () => {
    const own = issuer();
    const other = issuer({ id: 'other', issuer: 'https://other.example/' });
    const former = compileIssuers([own, other], names);
    const named = new Map([...names].map(([id, sets]) => [id, sets.map((set) => [...set])]));
    const later = compileIssuers([own, { ...other, audiences: ['stock'] }], named, former);
    assert.equal(later.find(own.issuer), former.find(own.issuer));
    assert.notEqual(later.find(other.issuer), former.find(other.issuer));
    assert.deepEqual(later.find(other.issuer)?.audiences, ['stock']);
    const one = (changed: typeof own, sets = names) => compileIssuers([changed], sets, former).find(changed.issuer);
    assert.notEqual(one(own, new Map([[own.id, [['azp']]]])), former.find(own.issuer));
    for (const field of ['keys', 'audiences', 'algorithms', 'requiredClaims'] as const) {
      assert.notEqual(one({ ...own, [field]: structuredClone({ a: 1 }) }), former.find(own.issuer), field);
    }
    assert.equal(compileIssuers([{ ...own, enabled: false }], names, former), noIssuers);
  });

  it('are unknown while they are disabled', () => {
    const table = compileIssuers([issuer({ enabled: false })], names);
    assert.equal(table, noIssuers);
    assert.equal(table.find('https://idp.partner.example'), null);
  });
});
