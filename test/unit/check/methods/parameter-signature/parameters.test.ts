import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  MAX_PARAMETERS,
  type ParameterText,
  parseParameters,
  valueStart,
} from '../../../../../src/check/methods/parameter-signature/parameters.ts';
import { isRefusal } from '../../../../../src/check/refusal.ts';
import { anyCharacter } from '../../../../support/signing/signed-message-arbitraries.ts';

function pairs({ bytes, spans }: ParameterText): string[][] {
  return spans.map((span) => [
    bytes.toString('utf8', span.start, span.nameEnd),
    bytes.toString('utf8', valueStart(span), span.end),
  ]);
}

function parse(text: string): { raw: string[][]; decoded: string[][] } | string {
  const parameters = parseParameters(Buffer.from(text, 'latin1'));
  return isRefusal(parameters) ? parameters.detail : { raw: pairs(parameters.raw), decoded: pairs(parameters.decoded) };
}

const BAD_PERCENT = 'a "%" in the parameters is not followed by two hexadecimal digits';
const NOT_UTF8 = 'the parameters are not UTF-8';

describe('splitting and decoding of parameters', () => {
  for (const [text, raw, decoded] of [
    ['', [], []],
    ['&', [], []],
    ['&&&', [], []],
    ['a', [['a', '']], [['a', '']]],
    ['a=', [['a', '']], [['a', '']]],
    ['=', [['', '']], [['', '']]],
    ['=v', [['', 'v']], [['', 'v']]],
    ['==', [['', '=']], [['', '=']]],
    ['a=b=c', [['a', 'b=c']], [['a', 'b=c']]],
    [
      '&a=1&&b=2&',
      [
        ['a', '1'],
        ['b', '2'],
      ],
      [
        ['a', '1'],
        ['b', '2'],
      ],
    ],
    [
      'a&b=1&c',
      [
        ['a', ''],
        ['b', '1'],
        ['c', ''],
      ],
      [
        ['a', ''],
        ['b', '1'],
        ['c', ''],
      ],
    ],
    [
      'a=1&a=2&a',
      [
        ['a', '1'],
        ['a', '2'],
        ['a', ''],
      ],
      [
        ['a', '1'],
        ['a', '2'],
        ['a', ''],
      ],
    ],
    ['a+b=c+d', [['a+b', 'c+d']], [['a b', 'c d']]],
    ['a%20b=c%2Bd', [['a%20b', 'c%2Bd']], [['a b', 'c+d']]],
    [
      '%3D=%26&x',
      [
        ['%3D', '%26'],
        ['x', ''],
      ],
      [
        ['=', '&'],
        ['x', ''],
      ],
    ],
    [
      '%26&y',
      [
        ['%26', ''],
        ['y', ''],
      ],
      [
        ['&', ''],
        ['y', ''],
      ],
    ],
    ['%25=%2520', [['%25', '%2520']], [['%', '%20']]],
    ['a=%c3%A9', [['a', '%c3%A9']], [['a', 'é']]],
    ['%EF%BB%BFa=%EF%BB%BF', [['%EF%BB%BFa', '%EF%BB%BF']], [['\ufeffa', '\ufeff']]],
    ['%00=%0A', [['%00', '%0A']], [['\0', '\n']]],
    [' a = b ', [[' a ', ' b ']], [[' a ', ' b ']]],
    ['a;b=c;d', [['a;b', 'c;d']], [['a;b', 'c;d']]],
  ] as const) {
    it(`of ${JSON.stringify(text)}`, () => {
      assert.deepEqual(parse(text), { raw, decoded });
    });
  }

  for (const [text, detail] of [
    ['%', BAD_PERCENT],
    ['a=%', BAD_PERCENT],
    ['a=%4', BAD_PERCENT],
    ['a=%4&1', BAD_PERCENT],
    ['a%4=1', BAD_PERCENT],
    ['%=41', BAD_PERCENT],
    ['a=%g0', BAD_PERCENT],
    ['a=%0g', BAD_PERCENT],
    ['a=%u0041', BAD_PERCENT],
    ['a=%%41', BAD_PERCENT],
    ['a=% 41', BAD_PERCENT],
    ['a=%+41', BAD_PERCENT],
    ['a=%-1', BAD_PERCENT],
    ['a=%/0', BAD_PERCENT],
    ['a=%:0', BAD_PERCENT],
    ['a=%@0', BAD_PERCENT],
    ['a=%`0', BAD_PERCENT],
    ['a=%FF', NOT_UTF8],
    ['a=%C0%80', NOT_UTF8],
    ['a=%ED%A0%80', NOT_UTF8],
    ['a=%F4%90%80%80', NOT_UTF8],
    ['a=%E5%BC', NOT_UTF8],
    ['%C3=%A9', NOT_UTF8],
    ['a=%C3&%A9=1', NOT_UTF8],
    ['a=%C3&&%A9', NOT_UTF8],
    ['a=\xe9', NOT_UTF8],
    ['a=%20\xe9', NOT_UTF8],
  ] as const) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      assert.equal(parse(text), detail);
    });
  }

  it('takes bytes that are UTF-8 without encoding', () => {
    const text = Buffer.from('n=é&%6e=中').toString('latin1');
    assert.deepEqual(parse(text), {
      raw: [
        ['n', 'é'],
        ['%6e', '中'],
      ],
      decoded: [
        ['n', 'é'],
        ['n', '中'],
      ],
    });
  });

  it('keeps what is not encoded as it is, without a copy', () => {
    const parameters = parseParameters(Buffer.from('a=1&b'));
    assert.ok(!isRefusal(parameters) && parameters.decoded === parameters.raw);
  });

  it(`takes ${String(MAX_PARAMETERS)} parameters and no more; empty segments do not count`, () => {
    const hundred = Array.from({ length: 100 }, (_, index) => `p${String(index)}=%41`).join('&&');
    assert.ok(typeof parse(`&${hundred}&&`) !== 'string');
    assert.equal(parse(`${hundred}&x`), 'there are more than 100 parameters');
    assert.equal(parse(`${'a&'.repeat(100)}=`), 'there are more than 100 parameters');
  });

  it('refuses bad encoding before it counts, wherever it is', () => {
    assert.equal(parse(`${'a&'.repeat(200)}%`), BAD_PERCENT);
    assert.equal(parse(`${'a&'.repeat(200)}%4&1`), BAD_PERCENT);
    assert.equal(parse(`${'a&'.repeat(200)}%ff`), NOT_UTF8);
    assert.equal(parse(`${'a&'.repeat(200)}\xff`), NOT_UTF8);
    assert.equal(parse(`${'a&'.repeat(99)}b=%C3&%A9`), NOT_UTF8);
  });

  it('loses and adds nothing, whatever is encoded', () => {
    const part = fc.string({ unit: anyCharacter, maxLength: 5 });
    const encode = (text: string): string => encodeURIComponent(text).replaceAll('%20', '+');
    fc.assert(
      fc.property(fc.array(fc.tuple(part, part), { maxLength: 10 }), (list) => {
        const text = list.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
        const parsed = parse(text);
        assert.ok(typeof parsed !== 'string');
        assert.deepEqual(parsed.decoded, list);
        assert.equal(parsed.raw.map((pair) => pair.join('=')).join('&'), text);
      }),
    );
  });

  it('takes any bytes without throwing', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        parseParameters(Buffer.from(bytes));
      }),
    );
  });

  it('takes ten megabytes of anything in time that grows no faster than that', () => {
    for (const unit of ['&', '=', 'a&', '%41', '%41&', '+', '=&', 'aaaaaaaaaaaaaaaa', 'a=%26&', '%']) {
      parseParameters(Buffer.alloc(10_485_760, unit));
    }
    parseParameters(Buffer.from(`${'a&'.repeat(99)}${'b'.repeat(10_000_000)}`));
  });
});
