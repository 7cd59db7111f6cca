import assert from 'node:assert/strict';
import { identityNameSamples } from '../../../../src/check/receive/forged-headers.ts';
import { isIdentityName } from '../../../../src/model/identity-names.ts';
import { isIdentityHeader } from '../../../../src/check/respond/answer-fields.ts';

describe('the names of identity headers', () => {
  it('are known in each spelling of the samples, and those that Postern sets are among them', () => {
    for (const name of [...identityNameSamples, 'X-Consumer-Username', 'x-credential_identifier']) {
      assert.ok(isIdentityName(name), name);
    }
    for (const name of ['x-consumer', 'x-request-id', 'consumer-id', 'x-anonymous'])
      assert.ok(!isIdentityName(name), name);
    assert.deepEqual(identityNameSamples.filter(isIdentityHeader), ['x-consumer-id', 'X-Credential-Identifier']);
  });
});
