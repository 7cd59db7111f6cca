import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseDictionary, parseItem, parseList } from '../../../../src/base/structured-fields/parse-field.ts';
import type { BareItem, Item, Member } from '../../../../src/base/structured-fields/values.ts';
import { writeDictionary, writeList, writeValue } from '../../../../src/base/structured-fields/write-field.ts';

const parsers = { dictionary: parseDictionary, list: parseList, item: parseItem };

function spellingOf(kind: keyof typeof parsers, text: string): string | null {
  switch (kind) {
    case 'dictionary': {
      const members = parseDictionary(text);
      return 'fault' in members ? null : writeDictionary(members);
    }
    case 'list': {
      const members = parseList(text);
      return 'fault' in members ? null : writeList(members);
    }
    case 'item': {
      const item = parseItem(text);
      return 'fault' in item ? null : writeValue(item);
    }
  }
}

const keyArbitrary = fc.stringMatching(/^[a-z*][a-z0-9_.*-]{0,9}$/);
const bareArbitrary: fc.Arbitrary<BareItem> = fc.oneof(
  fc
    .integer({ min: -999_999_999_999_999, max: 999_999_999_999_999 })
    .map((value) => ({ type: 'integer', value }) as const),
  fc
    .integer({ min: -999_999_999, max: 999_999_999 })
    .map((value) => ({ type: 'decimal', value: value / 1000 }) as const),
  fc.stringMatching(/^[\x20-\x7e]{0,20}$/).map((value) => ({ type: 'string', value }) as const),
  fc.stringMatching(/^[A-Za-z*][!#$%&'*+.^_`|~0-9A-Za-z:/-]{0,9}$/).map((value) => ({ type: 'token', value }) as const),
  fc.uint8Array({ maxLength: 40 }).map((value) => ({ type: 'bytes', value: Buffer.from(value) }) as const),
  fc.boolean().map((value) => ({ type: 'boolean', value }) as const),
);
const parametersArbitrary = fc
  .uniqueArray(fc.tuple(keyArbitrary, bareArbitrary), { selector: ([key]) => key, maxLength: 3 })
  .map((entries) => new Map(entries));
const itemArbitrary: fc.Arbitrary<Item> = fc.record(
  { bare: bareArbitrary, parameters: parametersArbitrary },
  { noNullPrototype: true },
);
const memberArbitrary: fc.Arbitrary<Member> = fc.oneof(
  itemArbitrary.map((value) => ({ value, text: writeValue(value) })),
  fc
    .record(
      { items: fc.array(itemArbitrary, { maxLength: 4 }), parameters: parametersArbitrary },
      { noNullPrototype: true },
    )
    .map((value) => ({ value, text: writeValue(value) })),
);

describe('structured fields', () => {
  it('are read as they were written', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(keyArbitrary, memberArbitrary), { selector: ([key]) => key }), (entries) => {
        const members = new Map(entries);
        const read = parseDictionary(writeDictionary(members));
        assert.ok(!('fault' in read));
        assert.deepEqual(
          Array.from(read, ([key, { value }]) => [key, value]),
          Array.from(members, ([key, { value }]) => [key, value]),
        );
      }),
    );
    fc.assert(
      fc.property(fc.array(memberArbitrary), (members) => {
        assert.deepEqual(parseList(writeList(members)), members);
      }),
    );
    fc.assert(
      fc.property(itemArbitrary, (item) => {
        assert.deepEqual(parseItem(writeValue(item)), item);
      }),
    );
  });

  it('have one spelling, which is read as the same', () => {
    const pieces = [
      'a',
      'b=',
      '1',
      '-',
      '.5',
      '"x"',
      '\\"',
      ':YQ==:',
      '?1',
      '(',
      ')',
      ' ',
      '\t',
      ',',
      ';',
      '=',
      'é',
      '*',
      '/',
      'A',
    ];
    const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(''));
    for (const kind of Object.keys(parsers) as (keyof typeof parsers)[]) {
      fc.assert(
        fc.property(fc.oneof(texts, fc.string()), (text) => {
          const spelling = spellingOf(kind, text);
          if (spelling !== null) assert.equal(spellingOf(kind, spelling), spelling);
        }),
        { numRuns: 2000 },
      );
    }
  });

  it('keep each member as it was received', () => {
    const members = parseDictionary('a=( "x"  "y";sf );  b=1 , c;d=2,\te=007;f');
    assert.ok(!('fault' in members));
    assert.deepEqual(
      Array.from(members, ([key, { text }]) => [key, text]),
      [
        ['a', '( "x"  "y";sf );  b=1'],
        ['c', ';d=2'],
        ['e', '007;f'],
      ],
    );
  });

  for (const [kind, text, spelling] of [
    ['item', ' 1 ', '1'],
    ['item', '-0', '0'],
    ['item', '007', '7'],
    ['item', '1.50', '1.5'],
    ['item', '1.0', '1.0'],
    ['item', '"a\\"b"', '"a\\"b"'],
    ['item', 'a;b=?1;c=?0', 'a;b;c=?0'],
    ['list', 'a,b ,\tc', 'a, b, c'],
    ['list', '', ''],
    ['list', 'a, a', 'a, a'],
    ['list', '(a b), ()', '(a b), ()'],
    ['dictionary', 'a=?1, b=?0,c', 'a, b=?0, c'],
    ['dictionary', 'a=(1 2);b', 'a=(1 2);b'],
  ] as const) {
    it(`write the ${kind} ${text} as ${spelling}`, () => {
      assert.equal(spellingOf(kind, text), spelling);
    });
  }

  for (const [kind, text, fault] of [
    ['item', '', 'has something that is no value of a structured field'],
    ['item', 'a b', 'has more than one item'],
    ['item', '(a)', 'has something that is no value of a structured field'],
    ['item', '"a', 'has a string that is not closed, or not printable ASCII'],
    ['item', '"é"', 'has a string that is not closed, or not printable ASCII'],
    ['item', '"\\a"', 'has a string that is not closed, or not printable ASCII'],
    ['item', ':YQ:', 'has bytes that are not canonical base64 between colons'],
    ['item', ':YR==:', 'has bytes that are not canonical base64 between colons'],
    ['item', ':Y Q==:', 'has bytes that are not canonical base64 between colons'],
    ['item', ':YQ==', 'has bytes that are not canonical base64 between colons'],
    ['item', '?2', 'has a boolean that is neither ?0 nor ?1'],
    ['item', '-', 'has a number without digits'],
    ['item', '1.', 'has a number that ends in a point'],
    ['item', '1.2345', 'has a number that is too long'],
    ['item', '1234567890123456', 'has a number that is too long'],
    ['item', '1234567890123.0', 'has a number that is too long'],
    ['item', '@1', 'has something that is no value of a structured field'],
    ['item', 'a;b;b', 'has a parameter twice'],
    ['item', 'a;B', 'has a key that is not lower case'],
    ['list', 'a,', 'ends with a comma'],
    ['list', 'a b', 'has members without a comma between them'],
    ['list', '("a""b")', 'has a list whose items are not apart'],
    ['list', '(a', 'has a list whose items are not apart'],
    ['dictionary', 'a=1, a=1', 'has a key twice'],
    ['dictionary', 'A=1', 'has a key that is not lower case'],
    ['dictionary', 'a=', 'has something that is no value of a structured field'],
    ['dictionary', 'a=1;;b', 'has a key that is not lower case'],
  ] as const) {
    it(`refuse the ${kind} ${JSON.stringify(text)}`, () => {
      assert.deepEqual(parsers[kind](text), { fault });
    });
  }

  it('are bounded', () => {
    const bounds = { maxMembers: 2, maxItems: 2 };
    assert.equal('fault' in parseDictionary('a=(1 2),b=(3)', bounds), false);
    assert.deepEqual(parseDictionary('a,b,c', bounds), { fault: 'has more than 2 members' });
    assert.deepEqual(parseDictionary('a=(1 2 3)', bounds), { fault: 'has a list of more than 2 items' });
  });
});
