import assert from 'node:assert/strict';
import fc from 'fast-check';
import { formatAddress, maskAddress, parseAddress } from '../../../src/base/net/address.ts';
import {
  type AddressList,
  addressListField,
  commonNetworks,
  declareAddressList,
  holdsAddress,
} from '../../../src/model/address-list.ts';
import { MAX_ALLOWED_NETWORKS } from '../../../src/model/bounds.ts';
import { FieldFault } from '../../../src/model/document/fields.ts';
import { readMapping } from '../../../src/model/document/read-mapping.ts';
import { readPlain } from '../../../src/model/document/read-plain.ts';

const kind = { what: 'a consumer', fields: { allowFrom: addressListField }, required: [] };

function problemsOf(allowFrom: unknown): readonly string[] {
  const read = readPlain({ allowFrom }, (raw, place, problems) => readMapping(raw, place, kind, problems));
  return 'value' in read ? [] : read.problems.map(({ path, message }) => `${path}: ${message}`);
}

function listOf(...networks: readonly string[]): AddressList {
  const list = addressListField(networks);
  assert.ok(!(list instanceof FieldFault), networks.join());
  return list;
}

function holds(list: AddressList, text: string): boolean {
  const address = parseAddress(text);
  return address !== null && holdsAddress(list, address);
}

describe('an address list', () => {
  for (const [networks, inside, outside] of [
    [['203.0.113.0/24'], ['203.0.113.0', '203.0.113.255', '::ffff:203.0.113.7'], ['203.0.114.0', '203.0.112.255']],
    [['203.0.113.7'], ['203.0.113.7', '::ffff:cb00:7107'], ['203.0.113.6', '203.0.113.8', '::203.0.113.7']],
    [['2001:db8::/33'], ['2001:db8::1', '2001:DB8:7fff::', '2001:db8::1%eth0'], ['2001:db8:8000::', '203.0.113.7']],
    [
      ['::1', '10.0.0.0/8'],
      ['::1', '10.255.0.1'],
      ['::2', '11.0.0.1', '::ffff:11.0.0.1'],
    ],
    [['0.0.0.0/0'], ['0.0.0.0', '255.255.255.255'], ['::', '2001:db8::1']],
    [['::/0'], ['::', '2001:db8::1', 'ffff::'], ['203.0.113.7', '::ffff:203.0.113.7']],
  ] as const) {
    it(`of ${networks.join(' and ')} holds what is in its networks`, () => {
      const list = listOf(...networks);
      for (const text of inside) assert.equal(holds(list, text), true, text);
      for (const text of outside) assert.equal(holds(list, text), false, text);
    });
  }

  it('keeps one spelling of each network, and is read back', () => {
    const list = listOf('203.0.113.7/32', '2001:DB8:0::/32', '::1/128', '0.0.0.0/0');
    assert.deepEqual(declareAddressList(list), ['203.0.113.7', '2001:db8::/32', '::1', '0.0.0.0/0']);
    assert.deepEqual(listOf(...declareAddressList(list)), list);
  });

  for (const [what, given, ...problems] of [
    ['no list', '203.0.113.7', 'allowFrom: "allowFrom" must be a list of networks; it is a text'],
    ['empty', [], 'allowFrom: "allowFrom" is empty: name a network, or leave it out to allow every address'],
    ['of null', null, 'allowFrom: "allowFrom" has no value; write one, or remove the key'],
    [
      'with bits beyond a prefix',
      ['10.1.2.3/8', '2001:db8::1/32', '10.0.0.0/8'],
      'allowFrom[0]: item 1 of "allowFrom" has bits set beyond its prefix: write 10.0.0.0/8',
      'allowFrom[1]: item 2 of "allowFrom" has bits set beyond its prefix: write 2001:db8::/32',
    ],
    [
      'with IPv4 networks that are written as IPv6',
      ['::ffff:10.1.0.0/104', '::ffff:203.0.113.7'],
      'allowFrom[0]: item 1 of "allowFrom" holds IPv4 addresses: write 10.0.0.0/8',
      'allowFrom[1]: item 2 of "allowFrom" holds IPv4 addresses: write 203.0.113.7',
    ],
    [
      'with a network twice',
      ['2001:db8::/32', '2001:DB8:0::/32'],
      'allowFrom[1]: item 2 of "allowFrom" is the same network as one before it',
    ],
    [
      'too long',
      Array.from({ length: MAX_ALLOWED_NETWORKS + 1 }, (_, at) => `10.0.0.${String(at)}`),
      `allowFrom: "allowFrom" must have at most ${String(MAX_ALLOWED_NETWORKS)} items`,
    ],
  ] as const) {
    it(`that is ${what} is refused`, () => {
      assert.deepEqual(problemsOf(given), problems);
    });
  }

  it('has in common with another what is in both', () => {
    const offices = listOf('203.0.113.0/24', '198.51.100.0/24', '2001:db8::/32');
    const servers = listOf('203.0.113.7', '198.51.0.0/16', '10.0.0.0/8', '2001:db8::/32');
    const common = commonNetworks(offices, servers) ?? [];
    assert.deepEqual(declareAddressList(common), ['198.51.100.0/24', '2001:db8::/32', '203.0.113.7']);
    assert.equal(commonNetworks(offices, null), offices);
    assert.equal(commonNetworks(null, servers), servers);
    assert.equal(commonNetworks(null, null), null);
    fc.assert(
      fc.property(fc.ipV4(), fc.integer({ min: 0, max: 32 }), fc.ipV4(), (network, bits, address) => {
        const words = maskAddress(parseAddress(network) ?? [], bits);
        const one = listOf(`${formatAddress(words)}/${String(bits)}`, '10.0.0.0/8');
        const other = listOf('128.0.0.0/1', '10.1.0.0/16');
        const both = holds(one, address) && holds(other, address);
        assert.equal(holds(commonNetworks(one, other) ?? [], address), both);
      }),
    );
  });

  it('takes nothing that is no network, and repeats none of it', () => {
    for (const item of [
      '',
      'example.com',
      '10.0.0.0/33',
      '10.0.0/8',
      'fe80::1%eth0',
      '10.0.0.0/8/8',
      '1-2',
      7,
      null,
      {},
    ]) {
      const [problem = ''] = problemsOf([item]);
      assert.match(
        problem,
        /^allowFrom\[0\]: item 1 of "allowFrom" (?:must be a network|has no value)/,
        JSON.stringify(item),
      );
    }
  });

  it('never fails on any text, and holds the address that it is written from', () => {
    fc.assert(fc.property(fc.array(fc.string()), (texts) => void addressListField(texts)));
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (address) => {
        const list = addressListField([address]);
        if (!(list instanceof FieldFault)) assert.equal(holds(list, address), true);
      }),
    );
  });
});
