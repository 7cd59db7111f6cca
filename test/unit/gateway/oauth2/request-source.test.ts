import assert from 'node:assert/strict';
import fc from 'fast-check';
import { sourceOf } from '../../../../src/gateway/oauth2/messages.ts';
import { oauth2Request } from '../../../support/oauth2/oauth2-request.ts';

const fromEnvoy = (address: string, peerAddress: string | null = '127.0.0.1'): string =>
  sourceOf(oauth2Request({ headers: [['x-envoy-external-address', address]], peerAddress }));

describe('the source of a request', () => {
  it('is the address that Envoy reports, and the TCP peer without one', () => {
    assert.equal(fromEnvoy('203.0.113.7'), '203.0.113.7');
    assert.equal(sourceOf(oauth2Request({ peerAddress: '198.51.100.9' })), '198.51.100.9');
    assert.equal(sourceOf(oauth2Request({ peerAddress: '::ffff:198.51.100.9' })), '198.51.100.9');
    assert.equal(sourceOf(oauth2Request({ peerAddress: null })), 'local');
  });

  it('is the TCP peer where that is no Envoy that is known, whatever it says', () => {
    const headers = [['x-envoy-external-address', '203.0.113.7']] as const;
    const request = { headers, peerAddress: '198.51.100.9' };
    assert.equal(sourceOf(oauth2Request({ ...request, isPeerTrusted: false })), '198.51.100.9');
    assert.equal(sourceOf(oauth2Request({ ...request, isPeerTrusted: true })), '203.0.113.7');
  });

  it('is the TCP peer where the header holds no address, or appears twice', () => {
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
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002:0:0:0:0', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::192.0.2.33', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:0:0:1::', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['fe80::2%25eth1', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::ffff:192.0.2.33', '192.0.2.33'],
    ['::FFFF:c000:221', '192.0.2.33'],
    ['0:0:0:0:0:ffff:192.0.2.33', '192.0.2.33'],
    ['::ffff:192.0.2.33%eth0', '192.0.2.33'],
    ['64:ff9b::192.0.2.33', '192.0.2.33'],
    ['64:ff9b::1:c000:221', '64:ff9b:0:0::/64'],
  ] as const) {
    it(`is one, however it is written: ${address} → ${source}`, () => {
      assert.equal(fromEnvoy(address), source);
      assert.equal(sourceOf(oauth2Request({ peerAddress: address })), source);
    });
  }

  const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16));
  const groups = (count: number): fc.Arbitrary<readonly string[]> =>
    fc.array(group, { minLength: count, maxLength: count });

  it('is the /64 of an IPv6 address, whatever the rest of it and however it is spelled', () => {
    fc.assert(
      fc.property(groups(4), groups(4), groups(4), (network, host, other) => {
        fc.pre(!isPrefixOfIpv4(network));
        const address = [...network, ...host].join(':');
        const padded = [...network, ...other].map((each) => each.padStart(4, '0').toUpperCase()).join(':');
        const short = new URL(`http://[${address}]/`).hostname.slice(1, -1);
        const source = `${network.join(':')}::/64`;
        assert.deepEqual(
          [address, padded, short].map((each) => fromEnvoy(each)),
          [source, source, source],
        );
      }),
    );
  });

  it('is another one for every /64, and for every IPv4 address', () => {
    fc.assert(
      fc.property(groups(4), groups(4), (one, other) => {
        fc.pre(one.join(':') !== other.join(':') && !isPrefixOfIpv4(one) && !isPrefixOfIpv4(other));
        assert.notEqual(fromEnvoy(`${one.join(':')}::1`), fromEnvoy(`${other.join(':')}::1`));
      }),
    );
    fc.assert(
      fc.property(fc.ipV4(), fc.ipV4(), (one, other) => {
        assert.equal(fromEnvoy(one) === fromEnvoy(other), one === other);
        assert.equal(fromEnvoy(`::ffff:${one}`), one);
      }),
    );
  });
});

/** `::/64` and `64:ff9b::/64` hold IPv4 addresses too, which count each by itself. */
function isPrefixOfIpv4(network: readonly string[]): boolean {
  return ['0:0:0:0', '64:ff9b:0:0'].includes(network.join(':'));
}
