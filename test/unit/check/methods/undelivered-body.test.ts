import assert from 'node:assert/strict';
import { refuseUndeliveredBody } from '../../../../src/check/methods/signed-request.ts';
import {
  type HeaderLine,
  headerForms,
  httpRequest,
  type RequestParts,
} from '../../../support/pipeline/check-request.ts';

const unseen = 'the request has a body, and Envoy did not deliver it';
const upgrade = 'the request asks for an upgrade, after which nothing can be verified';

const streamed =
  'configuration fault: the Envoy route streams bodies, and this endpoint verifies them; the request may have one';

/** The log's word for it, or null. */
function detailOf(
  headers: readonly HeaderLine[],
  body = '',
  headerForm: 'raw' | 'map' = 'raw',
  more: Pick<RequestParts, 'bodyExtension' | 'method'> = {},
): string | null {
  const refusal = refuseUndeliveredBody(httpRequest({ headers, body, headerForm, keepCase: true, ...more }));
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

    it(`is refused where the route streams, unless the length is 0, in the ${headerForm} form`, () => {
      for (const bodyExtension of ['streamed', 'anything', '']) {
        for (const method of ['GET', 'POST']) {
          const where = { bodyExtension, method };
          assert.equal(detailOf([], '', headerForm, where), streamed);
          assert.equal(detailOf([['content-length', '5']], '', headerForm, where), unseen);
          assert.equal(detailOf([['content-length', '0']], '', headerForm, where), null);
        }
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
