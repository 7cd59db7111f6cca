import assert from 'node:assert/strict';
import fc from 'fast-check';
import { formatProblem } from '../../../src/model/document/problem.ts';
import { MAX_PROBLEMS } from '../../../src/model/document/problem-log.ts';
import {
  documentNames,
  MAX_DOCUMENT_BYTES,
  MAX_LARGE_DOCUMENT_BYTES,
  parseDocument,
} from '../../../src/resources/parse-document.ts';
import { excerptOf } from '../../../src/model/document/source-excerpt.ts';
import { secretsOf } from './support.ts';

function parse(text: string): ReturnType<typeof parseDocument> {
  return parseDocument([{ file: 'f.yaml', text }], { isComplete: true, readSecret: secretsOf({}) });
}

function messagesOf(text: string): readonly string[] {
  const parsed = parse(text);
  return 'problems' in parsed ? parsed.problems.map(formatProblem) : [];
}

/** Pieces that YAML gives a meaning, and the keys of a document. */
const pieces = fc.constantFrom(
  ...['version: 1', 'endpoints', 'consumers', 'grants', 'credentials', 'match', 'paths', 'appSecret', 'id', 'options'],
  ...[
    '\n',
    '\n  ',
    '\n    ',
    '\n- ',
    ' ',
    '\t',
    '\r\n',
    ': ',
    ':',
    '- ',
    '? ',
    '[',
    ']',
    '{',
    '}',
    ',',
    '#',
    '|',
    '>',
    '"',
  ],
  ...["'", '&a', '*a', '!', '!!str', '%', '---', '...', '@', '`', '\\', '\u0000', '\ufeff', '\ud800', 'é', '__proto__'],
  ...['1', '.inf', 'null', 'true', '2026-01-01T00:00:00Z', '<<', 'constructor', 'hmac', 'key', '/', '*.a'],
);

describe('a hostile name of a file', () => {
  it('changes nothing on the terminal', () => {
    const told = formatProblem({ file: 'a\u001b[31m\u202eb.yaml', line: 1, column: 2, path: '', message: 'is wrong' });
    assert.equal(told, 'a\ufffd[31m\ufffdb.yaml:1:2: is wrong');
  });
});

describe('a hostile text', () => {
  it('is distinguished from a document without a throw, with each problem inside the text', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.array(pieces, { maxLength: 60 }).map((parts) => parts.join('')),
      fc.array(pieces, { maxLength: 40 }).map((parts) => `version: 1\nconsumers:\n  - id: a\n${parts.join('')}`),
      fc.json().map((json) => `version: 1\nendpoints: [${json}]\nconsumers: ${json}\ngrants: [${json}]`),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const parsed = parse(text);
        if ('content' in parsed) return;
        assert.ok(parsed.problems.length > 0);
        const lines = text.split('\n');
        for (const { line, column, message } of parsed.problems) {
          const length = lines[line - 1]?.length;
          assert.ok(
            length !== undefined && column >= 1 && column <= length + 1,
            `${String(line)}:${String(column)} ${message}`,
          );
        }
      }),
      { numRuns: 300 },
    );
  });

  it('cannot nest deeper than a document does', () => {
    const tooDeep = 'nests more than 64 levels deep, which no declarative document does';
    for (const opening of ['[', '{ a: ', '- ', '? ', '[{ ? ']) {
      const [first] = messagesOf(opening.repeat(5_000));
      assert.match(first ?? '', new RegExp(tooDeep), opening);
    }
  });

  it('cannot grow without bound by aliases', () => {
    const levels = Array.from({ length: 12 }, (_, level) =>
      level === 0 ? 'a0: &a0 [x, x, x, x, x, x, x, x, x, x]' : aliases(level),
    );
    assert.ok(messagesOf(levels.join('\n')).some((message) => message.includes('more than 4000000 values')));

    function aliases(level: number): string {
      const items = Array.from({ length: 10 }, () => `*a${String(level - 1)}`);
      return `a${String(level)}: &a${String(level)} [${items.join(', ')}]`;
    }
  });

  it('gets no more problems than an operator reads', () => {
    const many = `version: 1\nconsumers:\n${'  - id: A\n'.repeat(2000)}`;
    assert.equal(messagesOf(many).length, MAX_PROBLEMS);
    const keys = Array.from({ length: 5_000 }, (_, n) => `key${String(n)}: 1`).join('\n');
    assert.equal(messagesOf(keys).length, MAX_PROBLEMS);
  });

  it('is refused unread when it is too large', () => {
    assert.deepEqual(messagesOf(`#${'x'.repeat(MAX_LARGE_DOCUMENT_BYTES)}`), [
      'f.yaml:1:1: the file is larger than 128 MiB',
    ]);
  });

  it('is refused when the YAML library would need too much for it', () => {
    assert.deepEqual(messagesOf(`#${'x'.repeat(MAX_DOCUMENT_BYTES)}`), [
      'f.yaml:1:1: the file is larger than 16 MiB, and is neither JSON nor of the form that "postern export" writes; write it so, or divide it',
    ]);
  });

  it('gives no key of the prototype to the values', () => {
    assert.deepEqual(messagesOf('version: 1\nconstructor: 1\ntoString: 2\n__proto__: { endpoints: [] }'), [
      'f.yaml:2:1: unknown key in a declarative document; known keys: version, selector, endpoints, consumers, grants, plans, issuers',
      'f.yaml:3:1: unknown key in a declarative document; known keys: version, selector, endpoints, consumers, grants, plans, issuers',
      'f.yaml:4:1: this cannot be a key: a key is a text; quote it',
    ]);
  });

  it('never gets a secret or an App Key repeated', () => {
    const secret = 'Zq7!pR';
    const places = [
      `appSecret: ${secret}`,
      `appSecret: "${secret}\\q"`,
      `appSecret: "${secret}`,
      `appSecret: '${secret}`,
      `appSecret: *${secret}`,
      `appSecret: &${secret}`,
      `appSecret: !${secret} x`,
      `appSecret: @${secret}`,
      `appSecret: [${secret}`,
      `appSecret: | ${secret}\n`,
      `appSecret: %${secret}: y`,
      `appSecret: "a" ${secret}`,
      `appSecret: { appSecret: ${secret} }`,
      `appSecretFrom: ${secret}`,
      `appKey: ${secret}`,
      `appKey: "${secret}" ${secret}`,
      `${'x'.repeat(16)}\n appSecret: ${secret}: ${secret}`,
    ];
    for (const place of places) {
      const text = `version: 1\nconsumers: \n  - id: a\n    credentials:\n      - method: hmac\n        ${place}\n`;
      const parsed = parse(text);
      assert.ok('problems' in parsed, place);
      for (const problem of parsed.problems) {
        const told = `${problem.path} ${problem.message} ${excerptOf(text.split('\n'), problem, documentNames)?.text ?? ''}`;
        assert.ok(!told.includes(secret), `${place}: ${told}`);
      }
    }
  });
});
