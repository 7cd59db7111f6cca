import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parsePathRule, parseTarget } from '../../../../src/check/receive/path.ts';

function reasonOf(raw: string): string | null {
  const target = parseTarget(raw);
  return 'reason' in target ? target.reason : null;
}

describe('a request target in normal form', () => {
  for (const [raw, path, query, comparable] of [
    ['/', '/', null, '/'],
    ['/orders', '/orders', null, '/orders'],
    ['/orders/', '/orders/', null, '/orders/'],
    ['/orders?', '/orders', '', '/orders'],
    ['/orders?a=b?c', '/orders', 'a=b?c', '/orders'],
    ['/Orders', '/Orders', null, '/Orders'],
    ['/%41%7e', '/%41%7e', null, '/A~'],
    ['/%c3%A4', '/%c3%A4', null, '/\xc3\xa4'],
    ['/a%20b', '/a%20b', null, '/a b'],
    ['/a%25b', '/a%25b', null, '/a%b'],
    ['/a%2541', '/a%2541', null, '/a%41'],
    ['/a%2500', '/a%2500', null, '/a%00'],
    ['/a;v=1/b;w', '/a;v=1/b;w', null, '/a/b'],
    ['/a;x/', '/a;x/', null, '/a/'],
    ['/a;', '/a;', null, '/a'],
    ['/a/;x', '/a/;x', null, '/a/'],
    ['/a%3Bx', '/a%3Bx', null, '/a'],
    ['/;x', '/;x', null, '/'],
    ['/file.json', '/file.json', null, '/file.json'],
    ['/...', '/...', null, '/...'],
    ['/a..b/.c/d.', '/a..b/.c/d.', null, '/a..b/.c/d.'],
    ["/a:b@c!$&'()*+,=", "/a:b@c!$&'()*+,=", null, "/a:b@c!$&'()*+,="],
    ['/"<>`{|}^', '/"<>`{|}^', null, '/"<>`{|}^'],
    ['/a?//../%zz\\%2e%00', '/a', '//../%zz\\%2e%00', '/a'],
  ] as const) {
    it(`is ${raw}`, () => {
      assert.deepEqual(parseTarget(raw), { raw, path, query, comparable });
    });
  }

  const notNormal: Readonly<Record<string, readonly string[]>> = {
    'it does not begin with "/"': ['', '*', 'a', '?', 'http://a/', '%2f', '\\', ' /'],
    'it holds a byte outside 0x21-0x7E': [
      '/ ',
      '/\t',
      '/\r\n',
      '/\0',
      '/\x1f',
      '/\x7f',
      '/\x80',
      '/\xe9',
      '/\xff',
      '/a?b c',
      '/a?\xe9',
      '/a?\x7f',
    ],
    'it holds a "#"': ['/#', '/a#b', '/a?b#c', '/?#'],
    'the path holds a "\\"': ['/\\', '/a\\b', '/..\\x', '/a\\?b'],
    'the path holds an empty segment': ['//', '//a', '/a//b', '/a//', '/a//?x', '///', '/;x/a', '/a/;x/b', '/%3b/a'],
    'the path holds a "." or ".." segment': [
      '/.',
      '/..',
      '/./a',
      '/../a',
      '/a/.',
      '/a/..',
      '/a/../b',
      '/a/./b',
      '/a/..;/b',
      '/a/..;x=1/b',
      '/.;/a',
      '/a/..%3b/b',
      '/a/..%3Bx',
      '/..?x',
    ],
    'the path holds a "%" that is not followed by two hexadecimal digits': [
      '/%',
      '/%4',
      '/%zz',
      '/%4g',
      '/%g4',
      '/%u002e',
      '/a%?41',
      '/%%41',
      '/%2',
      '/a%25%',
    ],
    'the path holds an encoded control character': ['/%00', '/%0a', '/%0D', '/%1f', '/%7F', '/a%09b'],
    'the path holds an encoded "/", "\\" or "."': [
      '/%2e',
      '/%2E%2e',
      '/a/%2e%2e/b',
      '/a%2fb',
      '/a%2Fb',
      '/a%5cb',
      '/a%5C',
      '/file%2ejson',
      '/.%2e/a',
      '/;%2f',
    ],
    'the path hides a "." or ".." segment behind double encoding': ['/.%253b', '/a/..%253Bx/b', '/..%25%33%62/'],
    'the path hides an empty segment behind double encoding': ['/%253b/', '/a/%253Bb/c', '/%253b/;', '/%25%33b/'],
    'the path hides a "/", "\\" or "." behind double encoding': [
      '/%252e',
      '/%252E%252e/a',
      '/%25%32%65',
      '/%25%32e',
      '/%252%65',
      '/a%252fb',
      '/a%255cb',
      '/file%252ejson',
      '/%25%35%43',
      '/%25252e%252e',
    ],
  };
  for (const [reason, targets] of Object.entries(notNormal)) {
    for (const raw of targets) {
      it(`is not ${JSON.stringify(raw)}: ${reason}`, () => {
        assert.equal(reasonOf(raw), reason);
      });
    }
  }

  const alphabet = [
    '/',
    '.',
    '\\',
    '%',
    ';',
    '?',
    '#',
    '2',
    '5',
    'e',
    'E',
    'f',
    'F',
    'c',
    '3',
    'b',
    '0',
    'a',
    '%2',
    '%25',
    '\xe9',
  ];
  const target = fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 14 }).map((rest) => `/${rest}`);

  it('is found without failing in any text', () => {
    fc.assert(
      fc.property(fc.oneof(target, fc.string({ unit: 'binary' })), (raw) => {
        parseTarget(raw);
      }),
      { numRuns: 2000 },
    );
  });

  it('stays what it is: nothing is repaired', () => {
    fc.assert(
      fc.property(target, (raw) => {
        const parsed = parseTarget(raw);
        fc.pre(!('reason' in parsed));
        assert.equal(parsed.raw, raw);
        assert.equal(parsed.query === null ? parsed.path : `${parsed.path}?${parsed.query}`, raw);
        assert.deepEqual(parseTarget(parsed.raw), parsed);
      }),
      { numRuns: 2000 },
    );
  });

  it('has the same segments however often a back end decodes it', () => {
    fc.assert(
      fc.property(target, (raw) => {
        const parsed = parseTarget(raw);
        if ('reason' in parsed) return;
        const once = decodeLeniently(parsed.path);
        const twice = decodeLeniently(once);
        for (const decoded of [once, twice]) {
          assert.equal(count(decoded, /[/\\.]/g), count(parsed.path, /[/\\.]/g), decoded);
          assert.equal(resolve(decoded), decoded, 'resolving the path changes it');
        }
      }),
      { numRuns: 5000, examples: [['/%253b/'], ['/a/%253Bb/c'], ['/%253b/;']] },
    );
  });
});

describe('the path of a rule', () => {
  for (const [rule, kind, comparable] of [
    [{ prefix: '/' }, 'prefix', ''],
    [{ prefix: '/orders' }, 'prefix', '/orders'],
    [{ prefix: '/orders/' }, 'prefix', '/orders'],
    [{ prefix: '/%6frders' }, 'prefix', '/orders'],
    [{ exact: '/' }, 'exact', '/'],
    [{ exact: '/orders' }, 'exact', '/orders'],
    [{ exact: '/orders/' }, 'exact', '/orders/'],
  ] as const) {
    it(`${JSON.stringify(rule)} is compared as ${JSON.stringify(comparable)}`, () => {
      assert.deepEqual(parsePathRule(rule), { kind, comparable });
    });
  }

  for (const path of [
    '',
    'orders',
    '*',
    '/a//b',
    '/a/../b',
    '/a?x',
    '/a?',
    '/a;x',
    '/a;',
    '/ä',
    '/%2e',
    '/a b',
    '/a%3bx',
  ]) {
    it(`cannot be ${JSON.stringify(path)}`, () => {
      assert.ok('reason' in parsePathRule({ prefix: path }));
      assert.ok('reason' in parsePathRule({ exact: path }));
    });
  }
});

/** As a back end would that leaves bad encodings as they are. */
function decodeLeniently(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(parseInt(digits, 16)));
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

/** RFC 3986 §5.2.4, with path parameters taken off dot segments and empty segments merged, as some servers do. */
function resolve(path: string): string {
  const kept: string[] = [];
  const segments = path.split('/').slice(1);
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1;
    const name = segment.replace(/;.*$/s, '');
    if (name === '..') kept.pop();
    else if (name !== '.' && (name !== '' || isLast)) kept.push(segment);
  }
  return `/${kept.join('/')}`;
}
