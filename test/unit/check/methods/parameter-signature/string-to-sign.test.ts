import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isAmbiguous, parseParameters } from '../../../../../src/check/methods/parameter-signature/parameters.ts';
import {
  bytesOf,
  copyText,
  lengthOf,
  sortedText,
  whole,
  wrapperText,
} from '../../../../../src/check/methods/parameter-signature/string-to-sign.ts';
import { isRefusal } from '../../../../../src/check/refusal.ts';

type Spelling = 'raw' | 'decoded';

function textOf(wire: string, spelling: Spelling = 'decoded', byValue = false): string {
  const parameters = parseParameters(Buffer.from(wire, 'utf8'));
  assert.ok(!isRefusal(parameters));
  const text = parameters[spelling];
  return bytesOf(sortedText(text, [...text.spans.keys()], byValue)).toString('utf8');
}

function ambiguous(wire: string, strictParameters = true): boolean {
  const parameters = parseParameters(Buffer.from(wire, 'utf8'));
  assert.ok(!isRefusal(parameters));
  return isAmbiguous(parameters.decoded.bytes, parameters.decoded.spans, strictParameters);
}

describe('string to sign of parameters', () => {
  for (const [wire, text] of [
    ['', ''],
    ['b=2&a=1', 'a=1&b=2'],
    ['a', 'a='],
    ['a=', 'a='],
    ['b&a&c', 'a=&b=&c='],
    ['=v&a=1', '=v&a=1'],
    ['&&b=1&&a=2&', 'a=2&b=1'],
    ['b=1&B=2&a=3&A=4', 'A=4&B=2&a=3&b=1'],
    ['ab=1&a=2&abc=3', 'a=2&ab=1&abc=3'],
    ['a=2&a=1&b=0&a=3', 'a=2&a=1&a=3&b=0'],
    ['a.b=1&a-b=2&a_b=3&ab=4&a b=5', 'a b=5&a-b=2&a.b=1&a_b=3&ab=4'],
    ['q=a+b&p=%20', 'p= &q=a b'],
    ['%62=1&a=2', 'a=2&b=1'],
    ['x=%2520', 'x=%20'],
    ['%F0%9F%98%80=1&%EF%BF%BD=2', '\ufffd=2&😀=1'],
    ['%EF%BB%BFa=1&a=2', 'a=2&\ufeffa=1'],
  ] as const) {
    it(`of ${wire}`, () => {
      assert.equal(textOf(wire), text);
    });
  }

  it('is sorted by UTF-8 bytes, not by UTF-16 units', () => {
    const names = ['\u{10000}', '\uffff', '\ue000', 'z', '~', 'é'];
    const wire = names.map((name) => encodeURIComponent(name)).join('&');
    assert.equal(textOf(wire), 'z=&~=&é=&\ue000=&\uffff=&\u{10000}=');
  });

  it('is as on the wire when it is raw', () => {
    assert.equal(textOf('%62=1&a=%20+&c', 'raw'), '%62=1&a=%20+&c=');
    assert.equal(textOf('b=%2f&B=%2F&a', 'raw'), 'B=%2F&a=&b=%2f');
  });

  it('has each signed parameter once, whatever stands next to it', () => {
    const segment = fc.constantFrom(
      '',
      'a',
      'a=',
      'a=1',
      '%61=2',
      'b',
      'b=1',
      'b=%20',
      '=v',
      'ab=2',
      `c=${'x'.repeat(90)}`,
    );
    const signable = fc.record({ segment, isSigned: fc.boolean() });
    fc.assert(
      fc.property(fc.array(signable, { maxLength: 12 }), fc.boolean(), (segments, byValue) => {
        const wire = segments.map((each) => each.segment).join('&');
        const parameters = parseParameters(Buffer.from(wire));
        assert.ok(!isRefusal(parameters));
        const present = segments.filter((each) => each.segment !== '');
        const signed = present.flatMap(({ isSigned }, at) => (isSigned ? [at] : []));
        for (const spelling of ['raw', 'decoded'] as const) {
          const expected = present
            .filter(({ isSigned }) => isSigned)
            .map((each) => (spelling === 'raw' ? each.segment : decodeURIComponent(each.segment)))
            .map((text) => /^([^=]*)=?(.*)$/.exec(text) ?? [])
            .sort(([, name = '', value = ''], [, otherName = '', otherValue = '']) => {
              const order = Buffer.compare(Buffer.from(name), Buffer.from(otherName));
              return order === 0 && byValue ? Buffer.compare(Buffer.from(value), Buffer.from(otherValue)) : order;
            })
            .map(([, name = '', value = '']) => `${name}=${value}`)
            .join('&');
          assert.equal(bytesOf(sortedText(parameters[spelling], signed, byValue)).toString(), expected);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('sorts equal names by value only when asked to', () => {
    assert.equal(textOf('a=b&a=a&a=&a=ab', 'decoded', false), 'a=b&a=a&a=&a=ab');
    assert.equal(textOf('a=b&a=a&a=&a=ab', 'decoded', true), 'a=&a=a&a=ab&a=b');
    assert.equal(textOf('b=1&a=%26&a=%25', 'decoded', true), 'a=%&a=&&b=1');
  });

  it('is sorted the same however long the names are', () => {
    const name = fc.tuple(
      fc.constantFrom(0, 1, 31, 32, 33, 64, 300),
      fc.string({ unit: fc.constantFrom('a', 'b', 'é'), maxLength: 3 }),
    );
    fc.assert(
      fc.property(fc.array(name, { maxLength: 12 }), (list) => {
        const names = list.map(([length, tail]) => 'n'.repeat(length) + tail);
        const sorted = names
          .map((text, index) => ({ bytes: Buffer.from(text), text, index }))
          .sort((left, right) => Buffer.compare(left.bytes, right.bytes) || left.index - right.index);
        const wire = names.map((text, index) => `${text}=${String(index)}`).join('&');
        assert.equal(textOf(wire), sorted.map(({ text, index }) => `${text}=${String(index)}`).join('&'));
      }),
    );
  });

  it('is appKey and data for a wrapper, after apiTimestamp when there is one', () => {
    const wrapper = { appKey: Buffer.from('k'), data: Buffer.from('{"a":"&b=1"}'), apiTimestamp: null };
    assert.equal(bytesOf(wrapperText(wrapper)).toString(), 'appKey=k&data={"a":"&b=1"}');
    const timed = wrapperText({ ...wrapper, apiTimestamp: Buffer.from('17') });
    assert.equal(bytesOf(timed).toString(), 'apiTimestamp=17&appKey=k&data={"a":"&b=1"}');
  });

  it('is written the same however long its pieces are', () => {
    const piece = fc.constantFrom(0, 1, 63, 64, 65, 300).map((length) => whole(Buffer.alloc(length, 'piece')));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (text) => {
        const out = Buffer.alloc(lengthOf(text) + 1, '!');
        assert.equal(copyText(text, out), lengthOf(text));
        assert.equal(out.toString(), `${bytesOf(text).toString()}!`);
      }),
    );
  });

  it('can be had in part', () => {
    const text = [Buffer.from('abc'), Buffer.from(''), Buffer.from('def')].map(whole);
    for (const [length, part] of [
      [0, ''],
      [2, 'ab'],
      [3, 'abc'],
      [4, 'abcd'],
      [6, 'abcdef'],
      [99, 'abcdef'],
    ] as const) {
      assert.equal(bytesOf(text, length).toString(), part);
    }
  });
});

describe('ambiguous parameters', () => {
  it('are the same however long they are', () => {
    const text = fc
      .tuple(
        fc.constantFrom(0, 1, 126, 127, 128, 129, 300),
        fc.string({ unit: fc.constantFrom('a', '&', '='), maxLength: 3 }),
      )
      .map(([length, tail]) => 'n'.repeat(length) + tail);
    fc.assert(
      fc.property(text, text, fc.boolean(), (name, value, strict) => {
        const wire = `x=1&${encodeURIComponent(name)}=${encodeURIComponent(value)}&y=%20`;
        assert.equal(ambiguous(wire, strict), /[&=]/.test(name) || (strict && /&.*=/.test(value)));
      }),
    );
  });

  for (const [wire, strict, lax] of [
    ['a=1&b=2', false, false],
    ['a=A%26B', false, false],
    ['a=%26', false, false],
    ['a=x%3Dy', false, false],
    ['a=x=y%26z', false, false],
    ['a=x%3D%26', false, false],
    ['a=%26&b=%3D', false, false],
    ['a=1%26c%3D2', true, false],
    ['a=1%26c=2', true, false],
    ['a=%26%3D', true, false],
    ['a=%3D%26%3D', true, false],
    ['a=%26%26x%26y%3D', true, false],
    ['x=1&a=1%26c%3D2&y=1', true, false],
    ['a%26b=1', true, true],
    ['a%3Db=1', true, true],
    ['%3D', true, true],
    ['%26', true, true],
  ] as const) {
    it(`${wire} is ${strict ? 'one' : 'none'}, and ${lax ? 'one' : 'none'} without strictParameters`, () => {
      assert.equal(ambiguous(wire), strict);
      assert.equal(ambiguous(wire, false), lax);
    });
  }
});
