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

  for (const [address, network] of [
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:0:0:ffff::', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
    ['1:2:3:4:5:6:192.0.2.33', '1:2:3:4::/64'],
    ['::ffff:192.0.2.33', '192.0.2.33'],
  ] as const) {
    it(`is a network of 64 bits for IPv6: ${address} → ${network}`, () => {
      assert.equal(fromEnvoy(address), network);
    });
  }

  it('is the same for all addresses of one IPv6 network, however they are written', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        fc.pre(!/^::ffff:/i.test(address));
        const other = new URL(`http://[${address}]/`).hostname.slice(1, -1);
        assert.equal(fromEnvoy(other), fromEnvoy(address));
        assert.match(fromEnvoy(address), /^([0-9a-f]{1,4}:){4}:\/64$/);
      }),
    );
  });
});
