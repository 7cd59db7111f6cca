import assert from 'node:assert/strict';

import fc from 'fast-check';

import { isRefusal } from '../../../../../src/check/refusal.ts';
import {
  FREE_BEFORE_DATA,
  parseWrapper,
  parsingWrapper,
} from '../../../../../src/check/methods/parameter-signature/wrapper.ts';
import { ownMemory } from '../../../../../src/base/text/body-memory.ts';
import { anyCharacter } from '../../../../support/signing/signed-message-arbitraries.ts';

const REST = '"appKey":"k","sign":"s"';

function parse(text: string | Buffer): Record<string, string | null> | string {
  const wrapper = parseWrapper(Buffer.isBuffer(text) ? text : Buffer.from(text, 'utf8'));
  if (isRefusal(wrapper)) {
    assert.equal(wrapper.refused, 'MALFORMED_WRAPPER');
    return wrapper.detail.replace('the JSON wrapper is not well formed: ', '');
  }
  return Object.fromEntries(
    Object.entries(wrapper).map(([name, value]) => [name, (value as Buffer | null)?.toString('utf8') ?? null]),
  );
}

function dataOf(json: string): string | null {
  const parsed = parse(`{"data":${json},${REST}}`);
  assert.ok(typeof parsed !== 'string');
  return parsed['data'] ?? null;
}

describe('JSON wrapper', () => {
  it('has data, appKey, sign and perhaps apiTimestamp, in any order and with any white space', () => {
    const expected = { data: 'd', appKey: 'k', sign: 's', apiTimestamp: null };
    assert.deepEqual(parse('{"data":"d","appKey":"k","sign":"s"}'), expected);
    assert.deepEqual(parse(' \t\r\n{ "sign" :\n"s"\t,\r"data": "d" , "appKey":"k" } \n'), expected);
    assert.deepEqual(parse('{"apiTimestamp":17,"data":"d","appKey":"k","sign":"s"}'), {
      ...expected,
      apiTimestamp: '17',
    });
  });

  it('keeps the source text of a number', () => {
    for (const source of [
      '0',
      '-0',
      '17',
      '1e9',
      '1E+09',
      '1.0',
      '-1.5e-3',
      '9'.repeat(1000),
      `0.${'0'.repeat(1000)}1`,
    ]) {
      const parsed = parse(`{"data":"d",${REST},"apiTimestamp": ${source} }`);
      assert.ok(typeof parsed !== 'string');
      assert.equal(parsed['apiTimestamp'], source);
    }
  });

  it('unescapes strings into exactly the text they stand for', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        assert.equal(dataOf(JSON.stringify(text)), text);
        const escaped = [...Array(text.length).keys()]
          .map((index) => `\\u${text.charCodeAt(index).toString(16).padStart(4, '0')}`)
          .join('');
        assert.equal(dataOf(`"${escaped}"`), text);
        assert.equal(dataOf(`"${escaped.toUpperCase().replaceAll('\\U', '\\u')}"`), text);
      }),
    );
  });

  it('knows every escape', () => {
    assert.equal(
      dataOf('"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000\\u007f\\u00e9\\u4E2D\\ud83d\\ude00"'),
      '"\\/\b\f\n\r\t\0\x7fé中😀',
    );
    assert.equal(dataOf('"\\u007F\\u0080\\u07ff\\u0800"'), '\x7f\x80\u07ff\u0800');
    assert.equal(
      dataOf('"\\udbff\\udfff\\ud800\\udc00\\uffff\\ud7ff\\ue000"'),
      '\u{10ffff}\u{10000}\uffff\ud7ff\ue000',
    );
  });

  it('takes data that is empty, or begins with a byte order mark, or is no JSON', () => {
    assert.equal(dataOf('""'), '');
    assert.equal(dataOf('"\\ufeff{}"'), '\ufeff{}');
    assert.equal(dataOf('"\ufeff{}"'), '\ufeff{}');
    assert.equal(dataOf('"not JSON"'), 'not JSON');
  });

  it('unescapes a long string into the same text, wherever its escapes stand', () => {
    const border = 16_384;
    const filler = fc
      .tuple(
        fc.constantFrom(0, 1, 2, 3),
        fc.integer({ min: -16, max: 16 }),
        fc.constantFrom('x', 'é', '\\n', '\\\\', '"'),
      )
      .map(([pieces, offset, unit]) =>
        (unit === '"' ? '\\"' : unit).repeat(
          Math.max(0, Math.floor((pieces * border + offset) / Buffer.byteLength(unit))),
        ),
      );
    const special = fc.constantFrom(
      ...[
        '\\"',
        '\\\\',
        '\\\\\\"',
        '\\/',
        '\\n',
        '\\r\\n',
        '\\u0041',
        '\\u0000',
        '\\u007f',
        '\\u0080',
        '\\u00e9',
        '\\u4e2d',
      ],
      ...['\\ud83d\\ude00', '\\\\u4e2d', '\\\\ud83d', 'é', '中', '😀', '\x7f', ''],
      ...['\\ud83d', '\\ude00', '\\ud83dx', '\\x', '\\u12', '\n', '\r', '\0', '"', '\\'],
    );
    const isRight = (text: string): boolean => {
      try {
        const meant = JSON.parse(text) as string;
        return Buffer.from(meant).toString() === meant;
      } catch {
        return false;
      }
    };
    fc.assert(
      fc.property(
        fc.array(fc.tuple(filler, special), { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        (parts, isLast) => {
          const text = `"${parts.flat().join('')}"`;
          const parsed = parse(isLast ? `{${REST},"data":${text}}` : `{"data":${text},${REST}}`);
          assert.equal(typeof parsed !== 'string', isRight(text));
          if (typeof parsed !== 'string') assert.ok(parsed['data'] === JSON.parse(text));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('is read in turns with other work when it is large', () => {
    for (const unit of ['x', '\\"', '\\u4e2d', '\\\\']) {
      const body = Buffer.from(`{"data":"${unit.repeat(2_000_000 / unit.length)}",${REST}}`);
      const work = parsingWrapper(body, ownMemory);
      let turns = 0;
      for (let step = work.next(); step.done !== true; step = work.next()) turns += 1;
      assert.equal(turns, 7, unit);
    }
  });

  it('leaves bytes free before its data', () => {
    for (const data of ['', 'x', '\n', 'x'.repeat(100_000)]) {
      const wrapper = parseWrapper(Buffer.from(JSON.stringify({ sign: '\n', appKey: '\t', data })));
      assert.ok(!isRefusal(wrapper));
      const { buffer, byteOffset } = wrapper.data;
      Buffer.from(buffer, byteOffset - FREE_BEFORE_DATA, FREE_BEFORE_DATA).fill('!');
      assert.deepEqual([wrapper.sign, wrapper.appKey, wrapper.data].map(String), ['\n', '\t', data]);
    }
  });

  it('compares keys after unescaping', () => {
    assert.deepEqual(parse('{"d\\u0061t\\u0061":"d","appKey":"k","s\\u0069gn":"s"}'), {
      data: 'd',
      appKey: 'k',
      sign: 's',
      apiTimestamp: null,
    });
  });

  for (const [what, text, reason] of [
    ['nothing', '', 'it does not begin with {'],
    ['white space', ' \n', 'it does not begin with {'],
    ['a byte order mark', `\ufeff{"data":"d",${REST}}`, 'it does not begin with {'],
    ['a form feed', `\f{"data":"d",${REST}}`, 'it does not begin with {'],
    ['an array', '["d"]', 'it does not begin with {'],
    ['a string', '"d"', 'it does not begin with {'],
    ['no key', '{}', 'it has no data'],
    ['no data', `{${REST}}`, 'it has no data'],
    ['no appKey', '{"data":"d","sign":"s"}', 'it has no appKey'],
    ['no sign', '{"data":"d","appKey":"k"}', 'it has no sign'],
    ['an unknown key', `{"data":"d",${REST},"x":1}`, 'it has an unknown key'],
    ['a key in another case', `{"DATA":"d",${REST}}`, 'it has an unknown key'],
    ['an empty key', `{"":"d",${REST}}`, 'it has an unknown key'],
    ['the key __proto__', `{"__proto__":{},"data":"d",${REST}}`, 'it has an unknown key'],
    ['the key constructor', `{"constructor":"x","data":"d",${REST}}`, 'it has an unknown key'],
    ['a repeated key', `{"data":"d","data":"d",${REST}}`, 'it has the key data twice'],
    ['a key repeated with escapes', `{"data":"d","\\u0064ata":"d",${REST}}`, 'it has the key data twice'],
    [
      'a repeated apiTimestamp',
      `{"apiTimestamp":1,"apiTimestamp":1,"data":"d",${REST}}`,
      'it has the key apiTimestamp twice',
    ],
    ['an object as data', `{"data":{},${REST}}`, 'in data, a string is expected at byte 8'],
    ['an array as data', `{"data":[${'['.repeat(100_000)}`, 'in data, a string is expected at byte 8'],
    ['a number as data', `{"data":1,${REST}}`, 'in data, a string is expected at byte 8'],
    ['null as data', `{"data":null,${REST}}`, 'in data, a string is expected at byte 8'],
    ['a number as appKey', '{"data":"d","appKey":1,"sign":"s"}', 'in appKey, a string is expected at byte 21'],
    [
      'true as apiTimestamp',
      `{"apiTimestamp":true,"data":"d",${REST}}`,
      'in apiTimestamp, a number is expected at byte 16',
    ],
    [
      'null as apiTimestamp',
      `{"apiTimestamp":null,"data":"d",${REST}}`,
      'in apiTimestamp, a number is expected at byte 16',
    ],
    [
      'a number with a plus',
      `{"apiTimestamp":+1,"data":"d",${REST}}`,
      'in apiTimestamp, a number is expected at byte 16',
    ],
    [
      'a number with a leading zero',
      `{"apiTimestamp":01,"data":"d",${REST}}`,
      'it has neither , nor } after apiTimestamp',
    ],
    [
      'a number without digits',
      `{"apiTimestamp":-,"data":"d",${REST}}`,
      'in apiTimestamp, a number is expected at byte 17',
    ],
    [
      'a point without digits',
      `{"apiTimestamp":1.,"data":"d",${REST}}`,
      'in apiTimestamp, a digit is expected at byte 18',
    ],
    [
      'an exponent without digits',
      `{"apiTimestamp":1e+,"data":"d",${REST}}`,
      'in apiTimestamp, a digit is expected at byte 19',
    ],
    ['NaN', `{"apiTimestamp":NaN,"data":"d",${REST}}`, 'in apiTimestamp, a number is expected at byte 16'],
    ['text after it', `{"data":"d",${REST}}x`, 'something follows it'],
    ['another object after it', `{"data":"d",${REST}}{}`, 'something follows it'],
    ['a NUL after it', `{"data":"d",${REST}}\0`, 'something follows it'],
    ['a comma before its end', `{"data":"d",${REST},}`, 'a string is expected at byte 36'],
    ['a comma at its beginning', `{,"data":"d",${REST}}`, 'a string is expected at byte 1'],
    ['no comma', '{"data":"d" "appKey":"k"}', 'it has neither , nor } after data'],
    ['no colon', '{"data" "d"}', 'it has no colon after the key data'],
    ['no end', `{"data":"d",${REST}`, 'it has neither , nor } after sign'],
    ['a bare key', '{data:"d"}', 'a string is expected at byte 1'],
    ['single quotes', "{'data':'d'}", 'a string is expected at byte 1'],
    ['a comment', `/**/{"data":"d",${REST}}`, 'it does not begin with {'],
    ['a string without end', '{"data":"d', 'in data, the string has no end at byte 10'],
    ['an escaped string without end', '{"data":"\\n', 'in data, the string has no end at byte 11'],
    ['a control character', '{"data":"a\nb"}', 'in data, the string has a control character at byte 10'],
    [
      'a control character after an escape',
      '{"data":"\\n\n"}',
      'in data, the string has a control character at byte 11',
    ],
  ] as const) {
    it(`is refused with ${what}`, () => {
      assert.equal(parse(text), reason);
    });
  }

  for (const escape of [
    '\\x41',
    '\\u',
    '\\u00',
    '\\u004',
    '\\u00g0',
    '\\u 041',
    '\\u+041',
    '\\U0041',
    "\\'",
    '\\0',
    '\\a',
    '\\\n',
    '\\ud83d',
    '\\ude00',
    '\\ud83dx',
    '\\ud83d\\n',
    '\\ud83d\\ud83d',
    '\\ud83d\\u0041',
    '\\ude00\\ud83d',
    'x\\ud83d\\u',
  ]) {
    it(`is refused with the escape ${JSON.stringify(escape)}`, () => {
      const reason = parse(`{"data":"${escape}",${REST}}`);
      assert.ok(typeof reason === 'string');
      assert.match(reason, /^in data, the string has a bad escape or half of a surrogate pair at byte \d+$/);
    });
  }

  it('is refused when its bytes are not UTF-8', () => {
    for (const bytes of [[0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0x80]]) {
      const body = Buffer.concat([Buffer.from('{"data":"'), Buffer.from(bytes), Buffer.from(`",${REST}}`)]);
      assert.equal(parse(body), 'it is not UTF-8');
    }
    assert.equal(parse(Buffer.from(`{"data":"d",${REST}}`, 'utf16le')), 'a string is expected at byte 1');
  });

  it('takes any bytes without throwing, and never more than JSON.parse does', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '"',
      ':',
      ',',
      '\\',
      '"data"',
      '"appKey"',
      '"sign"',
      '"apiTimestamp"',
      '"data":"d"',
      '"appKey":"k"',
      '"sign":"s"',
      '1',
      '-',
      'e',
      '.',
      ' ',
      '\n',
      '\\u00',
      '\\ud83d',
      '\\ude00',
      '[',
      ']',
      'null',
      '\0',
      'é',
    );
    const text = fc.oneof(
      fc.array(pieces, { maxLength: 14 }).map((list) => list.join('')),
      fc.string({ unit: anyCharacter }),
    );
    fc.assert(
      fc.property(text, (candidate) => {
        const parsed = parse(candidate);
        if (typeof parsed === 'string') return;
        const { apiTimestamp, ...strings } = JSON.parse(candidate) as Record<string, string>;
        assert.deepEqual({ ...parsed, apiTimestamp: null }, { ...strings, apiTimestamp: null });
        assert.equal(parsed['apiTimestamp'] === null, apiTimestamp === undefined);
      }),
      { numRuns: 1000 },
    );
  });

  it('takes two megabytes of anything in time that grows no faster than that', () => {
    for (const unit of [
      'a',
      '\\"',
      '\\u0041',
      '\\ud83d\\ude00',
      'é',
      '😀',
      '\\',
      '[',
      '{',
      '{"data":',
      '"data":"d",',
      ' ',
      '1',
    ]) {
      const filler = unit.repeat(2_000_000 / unit.length);
      for (const text of [filler, `{"data":"${filler}",${REST}}`, `{${filler}`, `{"apiTimestamp":${filler}}`])
        parse(text);
    }
    assert.equal(dataOf(`"${'\\"'.repeat(1_000_000)}"`)?.length, 1_000_000);
  });
});
