import assert from 'node:assert/strict';
import { findNearestName } from '../../../../src/model/document/nearest-name.ts';

describe('the nearest known name', () => {
  const known = ['hideCredentials', 'keyNames', 'hmac', 'id'];

  it('is found for a slip of the hand and another spelling', () => {
    assert.equal(findNearestName('hideCredential', known), 'hideCredentials');
    assert.equal(findNearestName('hide_credentials', known), 'hideCredentials');
    assert.equal(findNearestName('KEYNAMES', known), 'keyNames');
    assert.equal(findNearestName('hamc', known), 'hmac');
    assert.equal(findNearestName('ids', known), 'id');
  });

  it('is not guessed for another word', () => {
    assert.equal(findNearestName('plugins', known), null);
    assert.equal(findNearestName('', known), null);
    assert.equal(findNearestName('hideCredentials'.repeat(10), known), null);
    assert.equal(findNearestName('id', []), null);
  });
});
