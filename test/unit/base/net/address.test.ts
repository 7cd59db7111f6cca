import assert from 'node:assert/strict';
import { BlockList } from 'node:net';
import fc from 'fast-check';
import { formatAddress, maskAddress, parseAddress, sharePrefix } from '../../../../src/base/net/address.ts';

const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16));
const anyIPv6 = fc.array(fc.oneof(group, fc.constant('0')), { minLength: 8, maxLength: 8 }).map((all) => all.join(':'));

function shortened(address: string): string {
  return new URL(`http://[${address}]/`).hostname.slice(1, -1);
}

function read(text: string): readonly number[] {
  const words = parseAddress(text);
  assert.ok(words !== null, text);
  return words;
}

describe('an address', () => {
  it('is the same in every spelling, and has one that is written', () => {
    for (const [written, ...spellings] of [
      ['203.0.113.7', '::ffff:203.0.113.7', '::FFFF:cb00:7107', '0:0:0:0:0:ffff:203.0.113.7'],
      ['2001:db8::1', '2001:DB8:0:0::1', '2001:0db8::0001', '2001:db8::0.0.0.1', '2001:db8::1%eth0'],
      ['::', '0:0:0:0:0:0:0:0'],
      ['255.255.255.255', '::ffff:ffff:ffff'],
    ] as const) {
      for (const text of [written, ...spellings]) assert.equal(formatAddress(read(text)), written, text);
    }
  });

  it('is nothing else', () => {
    for (const text of [
      '',
      'x',
      '1',
      '1.2.3',
      '1.2.3.4.5',
      '01.2.3.4',
      '1.2.3.4/8',
      '[::1]',
      ':::',
      '1.2.3.4%a',
      ' ::1',
    ]) {
      assert.equal(parseAddress(text), null, text);
    }
  });

  it('is read back as it was written, shortened or not', () => {
    fc.assert(
      fc.property(anyIPv6, (address) => {
        assert.deepEqual(read(shortened(address)), read(address));
        assert.deepEqual(read(formatAddress(read(address))), read(address));
      }),
    );
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        assert.equal(formatAddress(read(address)), address);
      }),
    );
  });

  it('shares a prefix with another where the list of Node has it in the network', () => {
    const pairs = fc.oneof(
      fc.tuple(fc.ipV4(), fc.ipV4(), fc.integer({ min: 0, max: 32 }), fc.constant('ipv4' as const)),
      fc.tuple(
        fc.array(fc.constantFrom('0', '1', 'ffff'), { minLength: 8, maxLength: 8 }).map((all) => all.join(':')),
        fc.array(fc.constantFrom('0', '1', 'ffff'), { minLength: 8, maxLength: 8 }).map((all) => all.join(':')),
        fc.integer({ min: 0, max: 128 }),
        fc.constant('ipv6' as const),
      ),
    );
    fc.assert(
      fc.property(pairs, ([one, other, prefixLength, family]) => {
        const [first, second] = [read(one), read(other)];
        fc.pre(first.length === second.length && (first.length === 1) === (family === 'ipv4'));
        const list = new BlockList();
        list.addSubnet(one, prefixLength, family);
        assert.equal(sharePrefix(first, second, prefixLength), list.check(other, family));
        assert.ok(sharePrefix(first, maskAddress(first, prefixLength), prefixLength));
      }),
    );
    assert.equal(sharePrefix(read('0.0.0.0'), read('::'), 0), false);
  });
});
