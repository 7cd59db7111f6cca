import assert from 'node:assert/strict';

import { parseMediaType } from '../../../../src/base/text/media-type.ts';

describe('media type', () => {
  for (const [text, essence, charsets] of [
    ['', '', []],
    ['application/json', 'application/json', []],
    ['Application/JSON', 'application/json', []],
    [' application/json\t', 'application/json', []],
    ['application/json;', 'application/json', []],
    ['application/json ; ; ', 'application/json', []],
    ['application/json;charset=UTF-8', 'application/json', ['utf-8']],
    ['application/json; a=b;\tCharset="Utf8" ', 'application/json', ['utf8']],
    ['application/json; charset=a; charset="b"', 'application/json', ['a', 'b']],
    ['application/json; charset=""', 'application/json', ['']],
    ['application/json; p="a;charset=x"', 'application/json', []],
    ['application/json; xcharset=a', 'application/json', []],
    ['application/json x', 'application/json x', []],
    ['\xa0application/json', '\xa0application/json', []],
    ['application/json\x0b', 'application/json\x0b', []],
    ['application/json; charset', 'application/json', null],
    ['application/json; charset=', 'application/json', null],
    ['application/json; charset =a', 'application/json', null],
    ['application/json; charset= a', 'application/json', null],
    ['application/json; =a', 'application/json', null],
    ['application/json; charset="a', 'application/json', null],
    ['application/json; charset="a"b', 'application/json', null],
    ['application/json; charset="\\a"', 'application/json', null],
    ['application/json; charset=a b', 'application/json', null],
    ['application/json; charset=utf-8\xa0', 'application/json', null],
  ] as const) {
    it(`of ${JSON.stringify(text)}`, () => {
      assert.deepEqual(parseMediaType(text), { essence, charsets });
    });
  }

  it('is read in time that grows no faster than its length', () => {
    for (const unit of [';', ' ', '; ', '=', '"', ';a', ';a=', ';a=b', ';a="b"', 'a']) {
      const filler = unit.repeat(1_000_000 / unit.length);
      for (const text of [filler, `a/b${filler}`, `a/b;${filler}`, `a/b; c="${filler}`]) parseMediaType(text);
    }
  });
});
