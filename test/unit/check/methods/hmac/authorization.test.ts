import assert from 'node:assert/strict';

import fc from 'fast-check';

import { isRefusal } from '../../../../../src/check/refusal.ts';
import { parseHmacAuthorization } from '../../../../../src/check/methods/hmac/authorization.ts';
import { anyByte } from '../../../../support/signing/signed-message-arbitraries.ts';

const APPKEY = 'appkey="k"';
const ALGORITHM = 'algorithm="hmac-sha256"';
const HEADERS = 'headers="date request-line"';
const SIGNATURE = 'signature="TWFu"';
const PARTS = [APPKEY, ALGORITHM, HEADERS, SIGNATURE];
const RIGHT = `hmac ${PARTS.join(', ')}`;

describe('hmac Authorization header', () => {
  it('is read into its four parts', () => {
    assert.deepEqual(parseHmacAuthorization(RIGHT), {
      appKey: 'k',
      algorithm: 'hmac-sha256',
      signedHeaders: ['date', 'request-line'],
      mac: Buffer.from('Man'),
    });
  });

  it('may have its scheme in any case, its parameters in any order, and white space around commas', () => {
    const spellings = fc.tuple(
      fc.constantFrom('hmac', 'HMAC', 'Hmac', 'hMaC'),
      fc.shuffledSubarray(PARTS, { minLength: 4 }),
      fc.array(fc.constantFrom(',', ', ', ' ,', '\t,\t', ' \t , \t '), { minLength: 3, maxLength: 3 }),
    );
    fc.assert(
      fc.property(spellings, ([scheme, parts, commas]) => {
        const value = `${scheme} ${parts.map((part, index) => part + (commas[index] ?? '')).join('')}`;
        assert.deepEqual(parseHmacAuthorization(value), parseHmacAuthorization(RIGHT));
      }),
    );
  });

  it('may hold any bytes of quoted text in the App Key', () => {
    const value = RIGHT.replace('"k"', '"a, b=\t\xff\x80{}"');
    const parsed = parseHmacAuthorization(value);
    assert.ok(!isRefusal(parsed));
    assert.equal(parsed.appKey, 'a, b=\t\xff\x80{}');
  });

  it('may hold a signature of any length', () => {
    const parsed = parseHmacAuthorization(RIGHT.replace('TWFu', ''));
    assert.ok(!isRefusal(parsed));
    assert.equal(parsed.mac.length, 0);
  });

  for (const value of [
    'Basic dXNlcjpw',
    'Bearer x',
    'hmacx appkey="k"',
    'hma',
    'Digest',
    'signature keyId="x"',
    RIGHT.replace('hmac', 'mac'),
  ]) {
    it(`is missing when it has another scheme: ${value}`, () => {
      assert.deepEqual(parseHmacAuthorization(value), {
        refused: 'CREDENTIALS_MISSING',
        detail: 'the Authorization header has another scheme',
      });
    });
  }

  const noElement = 'has something other than its four parameters, each written name="value"';
  for (const [what, value, reason] of [
    ['nothing', '', 'does not begin with a scheme'],
    ['a comma before all', `,${RIGHT}`, 'does not begin with a scheme'],
    ['a quote before all', '"hmac"', 'does not begin with a scheme'],
    ['only the scheme', 'hmac', 'has no blank after the scheme'],
    ['a tabulator after the scheme', RIGHT.replace(' ', '\t'), 'has no blank after the scheme'],
    ['a comma after the scheme', `hmac,${RIGHT.slice(5)}`, 'has no blank after the scheme'],
    ['two blanks after the scheme', RIGHT.replace(' ', '  '), noElement],
    ['nothing after the blank', 'hmac ', noElement],
    ['an empty element before', `hmac , ${PARTS.join(', ')}`, noElement],
    ['an empty element between', RIGHT.replace(', ', ', , '), noElement],
    ['an empty element after', `${RIGHT},`, noElement],
    ['a blank after the last element', `${RIGHT} `, 'has no comma after signature'],
    ['no comma', RIGHT.replace(', ', ' '), 'has no comma after appkey'],
    ['nothing between elements', RIGHT.replace(', ', ''), 'has no comma after appkey'],
    ['a semicolon', RIGHT.replace(',', ';'), 'has no comma after appkey'],
    ['two header lines joined', `${RIGHT},${RIGHT}`, noElement],
    ['another scheme after it', `${RIGHT},Basic dXNlcjpw`, noElement],
    ['an unknown parameter', `${RIGHT}, realm="x"`, noElement],
    ['a repeated parameter', `${RIGHT}, ${APPKEY}`, 'has appkey twice'],
    ['a repeated signature', `${RIGHT}, ${SIGNATURE}`, 'has signature twice'],
    ['a name in upper case', RIGHT.replace('appkey', 'appKey'), noElement],
    ['a blank before the equals sign', RIGHT.replace('appkey=', 'appkey ='), noElement],
    ['a blank after the equals sign', RIGHT.replace('appkey=', 'appkey= '), noElement],
    ['a value without quotes', RIGHT.replace('"k"', 'k'), noElement],
    ['single quotes', RIGHT.replace('"k"', "'k'"), noElement],
    [
      'no closing quote',
      `hmac ${PARTS.slice(0, 3).join(', ')}, signature="TWFu`,
      'has no closing quote after signature',
    ],
    ['a backslash', RIGHT.replace('"k"', '"k\\""'), 'has a backslash or control character in appkey'],
    ['a line feed in a value', RIGHT.replace('"k"', '"k\n"'), 'has a backslash or control character in appkey'],
    ['a NUL in a value', RIGHT.replace('"k"', '"\0"'), 'has a backslash or control character in appkey'],
    ['a DEL in a value', RIGHT.replace('"k"', '"\x7f"'), 'has a backslash or control character in appkey'],
    ['no appkey', `hmac ${[ALGORITHM, HEADERS, SIGNATURE].join(', ')}`, 'has no appkey'],
    ['no algorithm', `hmac ${[APPKEY, HEADERS, SIGNATURE].join(', ')}`, 'has no algorithm'],
    ['no headers', `hmac ${[APPKEY, ALGORITHM, SIGNATURE].join(', ')}`, 'has no headers'],
    ['no signature', `hmac ${[APPKEY, ALGORITHM, HEADERS].join(', ')}`, 'has no signature'],
    ['an empty appkey', RIGHT.replace('"k"', '""'), 'has an empty appkey'],
    ['a signature in URL-safe letters', RIGHT.replace('TWFu', '-_-_'), 'has a signature that is not canonical base64'],
    ['a signature without padding', RIGHT.replace('TWFu', 'TQ'), 'has a signature that is not canonical base64'],
    ['a signature with spare bits', RIGHT.replace('TWFu', 'TR=='), 'has a signature that is not canonical base64'],
    ['a signature with white space', RIGHT.replace('TWFu', 'TWFu '), 'has a signature that is not canonical base64'],
  ] as const) {
    it(`is malformed with ${what}`, () => {
      assert.deepEqual(parseHmacAuthorization(value), {
        refused: 'CREDENTIALS_MALFORMED',
        detail: `the Authorization header ${reason}`,
      });
    });
  }

  it('is judged in time that grows no faster than its length', () => {
    const size = 1_000_000;
    for (const unit of [' ', '\t', ',', ', ', 'a', '"', '=', 'appkey="', 'appkey="",', `${APPKEY} `, 'x="y", ']) {
      const filler = unit.repeat(size / unit.length);
      for (const value of [
        filler,
        `hmac ${filler}`,
        `hmac ${APPKEY}${filler}`,
        `hmac ${APPKEY},${filler}`,
        `hmac headers="${filler}"`,
      ]) {
        assert.ok(isRefusal(parseHmacAuthorization(value)));
      }
    }
  });

  it('takes any text without throwing', () => {
    const pieces = fc.constantFrom('hmac', ' ', ',', '"', '=', '\\', '\t', ...PARTS, 'appkey', 'TQ==', 'date', '\xff');
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: anyByte }),
          fc.array(pieces).map((list) => list.join('')),
        ),
        (value) => {
          const parsed = parseHmacAuthorization(value);
          if (!isRefusal(parsed)) assert.ok(parsed.appKey !== '' && parsed.signedHeaders.length >= 2);
        },
      ),
    );
  });
});
