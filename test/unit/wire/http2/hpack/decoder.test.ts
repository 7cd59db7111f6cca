import assert from 'node:assert/strict';
import fc from 'fast-check';
import { HpackDecoder } from '../../../../../src/wire/http2/hpack/decoder.ts';
import { type Field, type FieldKind, valueUnread } from '../../../../../src/wire/http2/hpack/field.ts';
import { createStaticTable } from '../../../../../src/wire/http2/hpack/tables.ts';

const READ: FieldKind = 1;

/** A decoder that reads every value, and the fields it found as `name: value`. */
function decoder(tableLimitBytes = 4096, classify: (name: string) => FieldKind = () => READ) {
  const hpack = new HpackDecoder({ staticTable: createStaticTable(classify), classify, tableLimitBytes });
  return (hex: string): string[] | string => {
    const block = Buffer.from(hex.replaceAll(' ', ''), 'hex');
    const fields: string[] = [];
    const field = ({ name, value }: Field): void => {
      fields.push(`${name}: ${value}`);
    };
    // What surrounds a block is none of its business.
    const surrounded = Buffer.concat([Buffer.from([0x82]), block, Buffer.from([0x82, 0x84])]);
    return hpack.decode(surrounded, 1, 1 + block.length, { field }) ?? fields;
  };
}

/** RFC 7541 Appendix C: what each block of a connection says. */
const examples: readonly {
  readonly section: string;
  readonly tableBytes?: number;
  readonly blocks: [string, string[]][];
}[] = [
  {
    section: 'C.2.1',
    blocks: [['400a637573746f6d2d6b65790d637573746f6d2d686561646572', ['custom-key: custom-header']]],
  },
  { section: 'C.2.2', blocks: [['040c2f73616d706c652f70617468', [':path: /sample/path']]] },
  { section: 'C.2.3', blocks: [['100870617373776f726406736563726574', ['password: secret']]] },
  { section: 'C.2.4', blocks: [['82', [':method: GET']]] },
  ...(
    [
      [
        'C.3',
        '828684410f7777772e6578616d706c652e636f6d',
        '828684be58086e6f2d6361636865',
        '828785bf400a637573746f6d2d6b65790c637573746f6d2d76616c7565',
      ],
      [
        'C.4',
        '828684418cf1e3c2e5f23a6ba0ab90f4ff',
        '828684be5886a8eb10649cbf',
        '828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf',
      ],
    ] as const
  ).map(([section, first, second, third]) => ({
    section,
    blocks: [
      [first, [':method: GET', ':scheme: http', ':path: /', ':authority: www.example.com']],
      [second, [':method: GET', ':scheme: http', ':path: /', ':authority: www.example.com', 'cache-control: no-cache']],
      [
        third,
        [
          ':method: GET',
          ':scheme: https',
          ':path: /index.html',
          ':authority: www.example.com',
          'custom-key: custom-value',
        ],
      ],
    ] satisfies [string, string[]][],
  })),
  ...(
    [
      [
        'C.5',
        '4803333032580770726976617465611d4d6f6e2c203231204f637420323031332032303a31333a323120474d546e1768747470733a2f2f7777772e6578616d706c652e636f6d',
        '4803333037c1c0bf',
        '88c1611d4d6f6e2c203231204f637420323031332032303a31333a323220474d54c05a04677a69707738666f6f3d4153444a4b48514b425a584f5157454f50495541585157454f49553b206d61782d6167653d333630303b2076657273696f6e3d31',
      ],
      [
        'C.6',
        '488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad171863c78f0b97c8e9ae82ae43d3',
        '4883640effc1c0bf',
        '88c16196d07abe941054d444a8200595040b8166e084a62d1bffc05a839bd9ab77ad94e7821dd7f2e6c7b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007',
      ],
    ] as const
  ).map(([section, first, second, third]) => ({
    section,
    tableBytes: 256, // entries are evicted
    blocks: [
      [
        first,
        [
          ':status: 302',
          'cache-control: private',
          'date: Mon, 21 Oct 2013 20:13:21 GMT',
          'location: https://www.example.com',
        ],
      ],
      [
        second,
        [
          ':status: 307',
          'cache-control: private',
          'date: Mon, 21 Oct 2013 20:13:21 GMT',
          'location: https://www.example.com',
        ],
      ],
      [
        third,
        [
          ':status: 200',
          'cache-control: private',
          'date: Mon, 21 Oct 2013 20:13:22 GMT',
          'location: https://www.example.com',
          'content-encoding: gzip',
          'set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1',
        ],
      ],
    ] satisfies [string, string[]][],
  })),
];

describe('decoding header blocks', () => {
  for (const { section, tableBytes, blocks } of examples) {
    it(`reads the example of RFC 7541 ${section}`, () => {
      const decode = decoder(tableBytes);
      for (const [hex, fields] of blocks) assert.deepEqual(decode(hex), fields);
    });
  }

  it('reads numbers of several octets (RFC 7541 C.1.2)', () => {
    assert.deepEqual(decoder()('3f9a0a 82'), [':method: GET'], 'a table size of 1337');
    assert.equal(decoder(1336)('3f9a0a 82'), 'a table size update is above the limit');
  });

  it('refuses what is cut off, wherever', () => {
    const whole = '408825a849e95ba97d7f8925a849e95bb8e8b4bf';
    for (let octets = 1; octets < whole.length / 2; octets++) {
      assert.match(String(decoder()(whole.slice(0, octets * 2))), /cut off|missing/, String(octets));
    }
  });

  it('refuses indices that point nowhere', () => {
    for (const hex of ['80', 'be', 'ff00', 'ffffffff7f', '7f8001 0161']) {
      assert.equal(decoder()(hex), 'an index points outside the tables', hex);
    }
  });

  it('refuses numbers that are too large, also when their octets never end', () => {
    for (const hex of ['ffffffffff7f', `ff${'80'.repeat(100)}01`, `ff${'ff'.repeat(9)}`]) {
      assert.equal(decoder()(hex), 'a number is cut off or too large', hex);
    }
  });

  it('refuses Huffman codes that break the rules (RFC 7541 §5.2)', () => {
    const right = '0085 f2b24a84ff 00';
    assert.equal(typeof decoder()(right), 'object');
    const wrong = {
      'padding of 8 bits': '0086 f2b24a84ffff 00',
      'padding of zeros': '0085 f2b24a84fe 00',
      'EOS inside': '0088 ffffffff f2b24a84 00',
      'EOS alone': '0084 ffffffff 00',
    };
    for (const [what, hex] of Object.entries(wrong)) {
      assert.equal(decoder()(hex), 'a string is not Huffman-coded as it says', what);
    }
  });

  it('takes size updates before the first field only (RFC 7541 §4.2)', () => {
    assert.deepEqual(decoder()('20 3fe11f 82'), [':method: GET']);
    assert.equal(decoder()('82 20'), 'a table size update follows a field');
    assert.equal(decoder()('3fe21f'), 'a table size update is above the limit');
  });

  it('forgets entries when the table shrinks, and those that never fitted', () => {
    const shrunk = decoder();
    assert.deepEqual(shrunk('400161 0162'), ['a: b']);
    assert.deepEqual(shrunk('be'), ['a: b']);
    assert.equal(shrunk('20 be'), 'an index points outside the tables');

    const small = decoder(40);
    assert.deepEqual(small('400161 0162'), ['a: b']);
    assert.deepEqual(small(`400163 0a${'64'.repeat(10)}`), ['c: dddddddddd'], 'larger than the table: empties it');
    assert.equal(small('be'), 'an index points outside the tables');
  });

  it('keeps the newest entries when many have come', () => {
    const decode = decoder();
    for (let n = 0; n < 1000; n++) {
      const value = Buffer.from(String(n)).toString('hex');
      decode(`4001610${String(value.length / 2)}${value}`);
    }
    assert.deepEqual(decode('be'), ['a: 999']);
    assert.deepEqual(decode('bf'), ['a: 998']);
    // 113 entries of 36 octets fit: the last has index 61 + 113.
    assert.deepEqual(decode('ff2f'), ['a: 887']);
    assert.equal(decode('ff30'), 'an index points outside the tables');
  });

  it('does not read values that nobody wants, but counts them', () => {
    const classify = (name: string): FieldKind => (name === 'wanted' ? READ : valueUnread);
    const hpack = new HpackDecoder({ staticTable: createStaticTable(classify), classify, tableLimitBytes: 4096 });
    const fields: Field[] = [];
    const block = Buffer.from('0006 77616e746564 0179 0007 6e6f206f6e65 6e 0179'.replaceAll(' ', ''), 'hex');
    hpack.decode(block, 0, block.length, { field: (field) => fields.push(field) });
    assert.deepEqual(
      fields.map(({ name, value, sizeBytes }) => [name, value, sizeBytes]),
      [
        ['wanted', 'y', 39],
        ['no onen', '', 40],
      ],
    );
  });

  it('marks values with octets that none may have (RFC 9113 §8.2.1)', () => {
    const marked = (value: string): boolean => {
      const hpack = new HpackDecoder({ staticTable: [], classify: () => READ, tableLimitBytes: 4096 });
      const block = Buffer.concat([Buffer.from([0x00, 0x01, 0x61, value.length]), Buffer.from(value, 'latin1')]);
      let malformed = false;
      hpack.decode(block, 0, block.length, {
        field: (field) => {
          malformed = field.malformedValue;
        },
      });
      return malformed;
    };
    for (const value of ['a\0b', 'a\rb', 'a\nb', ' a', 'a\t']) assert.equal(marked(value), true, JSON.stringify(value));
    for (const value of ['', 'a', 'a b\tc', 'é']) assert.equal(marked(value), false, JSON.stringify(value));
  });

  it('takes any octets without throwing', () => {
    const decode = decoder();
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 5 }), (blocks) => {
        for (const block of blocks) decode(Buffer.from(block).toString('hex'));
      }),
      { numRuns: 2000 },
    );
  });
});
