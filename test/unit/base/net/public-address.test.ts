import assert from 'node:assert/strict';
import { isPublicAddress } from '../../../../src/base/net/public-address.ts';

describe('a public address', () => {
  it('is one of the internet, in any spelling', () => {
    for (const address of [
      '8.8.8.8',
      '172.15.255.255',
      '172.32.0.0',
      '100.63.255.255',
      '223.255.255.255',
      '::ffff:8.8.8.8',
      '2606:4700::1111',
      '64:ff9b::8.8.8.8',
    ]) {
      assert.equal(isPublicAddress(address), true, address);
    }
  });

  it('is none of this machine, link or network, of documents, and no group', () => {
    for (const address of [
      ...['0.0.0.0', '10.0.0.1', '100.64.0.1', '127.0.0.1', '127.255.255.255', '169.254.169.254', '172.16.0.1'],
      ...['192.0.2.1', '192.168.0.1', '198.18.0.1', '203.0.113.1', '224.0.0.1', '240.0.0.1', '255.255.255.255'],
      ...['::', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1', '::127.0.0.1', 'fe80::1', 'fe80::1%eth0', 'fc00::1'],
      ...['fd12::1', 'ff02::1', '2001::1', '2001:db8::1', '2002:7f00:1::', '64:ff9b::10.0.0.1', '64:ff9b:1::1'],
      ...['', 'localhost', '127.1', '8.8.8.8/32'],
    ]) {
      assert.equal(isPublicAddress(address), false, address);
    }
  });
});
