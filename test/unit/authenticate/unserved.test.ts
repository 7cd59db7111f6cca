import assert from 'node:assert/strict';
import { findUnserved } from '../../../src/authenticate/unserved.ts';
import { keyEndpoint, openEndpoint, partnerEndpoint } from '../../support/pipeline/resources.ts';

describe('an endpoint that this version cannot judge', () => {
  it('is one with replay protection', () => {
    const hmac = partnerEndpoint('hmac');
    const parameters = partnerEndpoint('parameter-signature');
    for (const endpoint of [
      { ...hmac, options: { ...hmac.options, replayProtection: true } },
      { ...parameters, options: { ...parameters.options, replayProtection: true } },
    ]) {
      assert.equal(findUnserved(endpoint), 'this version has no replay protection');
    }
    assert.deepEqual([findUnserved(hmac), findUnserved(parameters)], [null, null]);
  });

  it('is no other', () => {
    assert.equal(findUnserved(keyEndpoint()), null);
    assert.equal(findUnserved(partnerEndpoint('oauth2')), null);
    assert.equal(findUnserved(openEndpoint()), null);
  });
});
