import assert from 'node:assert/strict';
import { refuseUndeliveredBody } from '../../../../src/check/methods/signed-request.ts';
import { type HeaderLine, headerForms, httpRequest } from '../../../support/pipeline/check-request.ts';

const unseen = 'the request has a body, and Envoy did not deliver it';
const upgrade = 'the request asks for an upgrade, after which nothing can be verified';

/** The log's word for it, or null. */
function detailOf(headers: readonly HeaderLine[], body = '', headerForm: 'raw' | 'map' = 'raw'): string | null {
  const refusal = refuseUndeliveredBody(httpRequest({ headers, body, headerForm, keepCase: true }));
  if (refusal !== null) assert.equal(refusal.refused, 'BODY_TOO_LARGE');
  return refusal?.detail ?? null;
}

describe('a body that may reach the back end unseen', () => {
  for (const headerForm of headerForms) {
    it(`is refused: a length without a body, in the ${headerForm} form`, () => {
      for (const length of ['1', '10485760', '01', '-1', '+0', ' ', '', '0x0', '0,5', '5,0', 'five']) {
        assert.equal(detailOf([['content-length', length]], '', headerForm), unseen, length);
      }
      assert.equal(detailOf([['Content-Length', '5']], '', headerForm), unseen);
    });

    it(`is refused: an upgrade, with or without a body, in the ${headerForm} form`, () => {
      for (const value of ['websocket', 'h2c', '']) {
        assert.equal(detailOf([['upgrade', value]], '', headerForm), upgrade);
        assert.equal(detailOf([['Upgrade', value]], 'x', headerForm), upgrade);
      }
    });

    it(`is none: no length, the length 0, or a body that is there, in the ${headerForm} form`, () => {
      assert.equal(detailOf([], '', headerForm), null);
      assert.equal(detailOf([['content-length', '0']], '', headerForm), null);
      assert.equal(detailOf([['content-length', '000']], '', headerForm), null);
      assert.equal(detailOf([['content-length', '4']], 'body', headerForm), null);
      assert.equal(detailOf([], 'body', headerForm), null);
    });
  }
});
