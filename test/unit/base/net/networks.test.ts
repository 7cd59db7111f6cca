import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createPeerTrust, formatNetwork, parseNetwork } from '../../../../src/base/net/networks.ts';

/** Whether an address is within these networks. */
function isTrusted(networks: readonly string[], address: string): boolean {
  return createPeerTrust(networks.flatMap((network) => parseNetwork(network) ?? []))(address);
}

describe('peers that are known as Envoys', () => {
  for (const [networks, trusted, others] of [
    [
      ['127.0.0.0/8', '::1'],
      ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'],
      ['128.0.0.1', '::2', '10.0.0.1'],
    ],
    [['10.1.2.3'], ['10.1.2.3', '::ffff:10.1.2.3', '::ffff:a01:203'], ['10.1.2.4', '::10.1.2.3']],
    [['fd00::/8'], ['fd12::1', 'FD12:0::1', 'fd00::1%eth0'], ['fe00::1', '127.0.0.1', '::ffff:127.0.0.1']],
    [
      ['10.0.0.0/8', '172.16.0.0/12'],
      ['10.255.255.255', '172.31.0.1'],
      ['172.32.0.1', '11.0.0.0'],
    ],
    [[], [], ['127.0.0.1', '::1']],
  ] as const) {
    it(`are those within ${networks.join(' and ') || 'nothing'}`, () => {
      for (const address of trusted) assert.equal(isTrusted(networks, address), true, address);
      for (const address of others) assert.equal(isTrusted(networks, address), false, address);
    });
  }

  it('include no peer without an address', () => {
    for (const address of ['', 'x', '127.0.0.1:80', '127.1', '[::1]']) {
      assert.equal(isTrusted(['127.0.0.0/8', '::1'], address), false, address);
    }
  });

  it('are within a network exactly when they begin with its bits', () => {
    const octets = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255));
    const bits = (address: readonly number[]): string =>
      address.map((octet) => octet.toString(2).padStart(8, '0')).join('');
    fc.assert(
      fc.property(octets, octets, fc.nat(32), (network, address, length) => {
        const isWithin = bits(address).startsWith(bits(network).slice(0, length));
        assert.equal(isTrusted([`${network.join('.')}/${String(length)}`], address.join('.')), isWithin);
      }),
    );
  });

  it('are written as they were read', () => {
    for (const text of ['127.0.0.0/8', '::1', '10.0.0.1', 'fd00::/8', '0.0.0.0/0']) {
      assert.equal(formatNetwork(parseNetwork(text) ?? { address: '', prefixLength: 0, family: 'ipv4' }), text);
    }
  });
});
