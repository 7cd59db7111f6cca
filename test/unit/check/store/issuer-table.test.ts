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

  it('are unknown while they are disabled', () => {
    const table = compileIssuers([issuer({ enabled: false })], names);
    assert.equal(table, noIssuers);
    assert.equal(table.find('https://idp.partner.example'), null);
  });
});
