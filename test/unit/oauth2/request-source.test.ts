import assert from 'node:assert/strict';
import fc from 'fast-check';
import { sourceOf } from '../../../src/oauth2/request-source.ts';
import { oauth2Request } from '../../support/oauth2/oauth2-request.ts';

const fromEnvoy = (address: string, peerAddress: string | null = '127.0.0.1'): string =>
  sourceOf(oauth2Request({ headers: [['x-envoy-external-address', address]], peerAddress }));

describe('the source of a request', () => {
  it('is the address that Envoy tells, and the TCP peer without one', () => {
    assert.equal(fromEnvoy('203.0.113.7'), '203.0.113.7');
    assert.equal(sourceOf(oauth2Request({ peerAddress: '198.51.100.9' })), '198.51.100.9');
    assert.equal(sourceOf(oauth2Request({ peerAddress: '::ffff:198.51.100.9' })), '198.51.100.9');
    assert.equal(sourceOf(oauth2Request({ peerAddress: null })), 'local');
  });

  it('is the TCP peer where what stands there is no address, or stands twice', () => {
    for (const text of ['', 'x', '203.0.113.7, 203.0.113.8', '203.0.113.256', '1'.repeat(10_000), '[::1]']) {
      assert.equal(fromEnvoy(text), '127.0.0.1', text);
    }
    const twice = [
      ['x-envoy-external-address', '203.0.113.7'],
      ['x-envoy-external-address', '203.0.113.8'],
    ] as const;
    assert.equal(sourceOf(oauth2Request({ headers: twice, peerAddress: '127.0.0.1' })), '127.0.0.1');
  });

  for (const [address, source] of [
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2:3:4:5:6'],
    ['2001:0DB8:0001:0002:0:0:0:0', '2001:db8:1:2::'],
    ['2001:db8::1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['::1', '::1'],
    ['64:ff9b::192.0.2.33', '64:ff9b::c000:221'],
    ['::ffff:192.0.2.33', '192.0.2.33'],
  ] as const) {
    it(`is one address, however it is written: ${address} → ${source}`, () => {
      assert.equal(fromEnvoy(address), source);
    });
  }

  it('is another one for every IPv6 address', () => {
    assert.notEqual(fromEnvoy('2001:db8::1'), fromEnvoy('2001:db8::2'));
  });

  it('is the same for all spellings of an IPv6 address', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        fc.pre(!/^::ffff:/i.test(address));
        assert.equal(fromEnvoy(address.toUpperCase()), fromEnvoy(address));
        assert.equal(fromEnvoy(fromEnvoy(address)), fromEnvoy(address));
      }),
    );
  });
});
