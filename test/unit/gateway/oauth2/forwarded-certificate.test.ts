import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readForwardedCertificate } from '../../../../src/gateway/oauth2/forwarded-certificate.ts';
import { oauth2Request } from '../../../support/oauth2/oauth2-request.ts';

const HASH = 'ab'.repeat(32);
const THUMBPRINT = Buffer.from(HASH, 'hex').toString('base64url');

const read = (...values: readonly string[]): ReturnType<typeof readForwardedCertificate> =>
  readForwardedCertificate(oauth2Request({ headers: values.map((value) => ['x-forwarded-client-cert', value]) }));

describe('the client certificate that Envoy names to the token endpoint', () => {
  it('is told by its hash, whatever else is said of it', () => {
    for (const value of [
      `Hash=${HASH}`,
      `Hash=${HASH.toUpperCase()};`,
      `By=spiffe://gateway.example/envoy;Hash=${HASH};Subject="CN=a\\", b;Hash=x,c";URI=spiffe://partner.example/a`,
      `Hash=${HASH};Cert="-----BEGIN%20CERTIFICATE-----%0AMII";URI=;DNS=a.example;DNS=b.example`,
    ]) {
      assert.equal(read(value), THUMBPRINT, value);
    }
    assert.equal(read(), null);
  });

  it('is not believed of a peer that is no known Envoy', () => {
    const headers = [['x-forwarded-client-cert', `Hash=${HASH}`]] as const;
    assert.equal(readForwardedCertificate(oauth2Request({ headers, isPeerTrusted: false })), null);
  });

  it('is refused where it is not that of one Envoy', () => {
    const other = 'cd'.repeat(32);
    for (const values of [
      [''],
      ['By=spiffe://gateway.example/envoy'],
      [`Hash=${HASH.slice(2)}`],
      [`Hash="${HASH}"`],
      [`Hash=${HASH};Hash=${other}`],
      [`Hash=${HASH},Hash=${other}`],
      [`Hash=${HASH},By=a`],
      [`By=a,Hash=${HASH}`],
      [`Hash=${HASH};Subject="CN=a`],
      [`Subject="CN=a\\";Hash=${HASH}`],
      [`Subject="CN=a"b;Hash=${HASH}`],
      [` Hash=${HASH}`],
      [`Hash=${HASH}`, `Hash=${HASH}`],
    ]) {
      const refusal = read(...values);
      assert.ok(typeof refusal === 'object' && refusal !== null, values.join(' | '));
      assert.deepEqual([refusal.status, refusal.error], [400, 'invalid_request']);
      assert.match(refusal.detail, /SANITIZE_SET/);
    }
  });

  it('never fails, and is never another text than one of the hashes sent', () => {
    const piece = fc.constantFrom(`Hash=${HASH}`, 'By=x', 'Subject="', '"', ';', ',', '\\', '=', 'Hash=', 'a');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const told = read(pieces.join(''));
        if (typeof told === 'string') assert.equal(told, THUMBPRINT);
      }),
    );
  });
});
