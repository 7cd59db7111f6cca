import assert from 'node:assert/strict';
import { sourceAddressOf } from '../../../../src/check/receive/source-address.ts';
import { httpRequest, type RequestParts } from '../../../support/pipeline/check-request.ts';

const cases: readonly (readonly [string, RequestParts, string | null])[] = [
  ['what Envoy says of a caller from outside', { headers: [['x-envoy-external-address', '192.0.2.1']] }, '192.0.2.1'],
  ['the peer of Envoy without it', {}, '10.0.0.9'],
  ['the peer when it is no address', { headers: [['x-envoy-external-address', 'key=secret']] }, '10.0.0.9'],
  [
    'the peer when it is there twice',
    {
      headers: [
        ['x-envoy-external-address', '192.0.2.1'],
        ['x-envoy-external-address', '192.0.2.2'],
      ],
    },
    '10.0.0.9',
  ],
  ['nothing when the peer is no address either', { peer: 'pipe' }, null],
];

describe('the address of a caller', () => {
  for (const [what, parts, expected] of cases) {
    it(`is ${what}`, () => {
      assert.equal(sourceAddressOf(httpRequest({ peer: '10.0.0.9', ...parts })), expected);
    });
  }
});
