import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import fc from 'fast-check';
import { formatProblem } from '../../../../src/model/document/problem.ts';
import { generateRingKey, type RingContent } from '../../../../src/model/keyring/ring-content.ts';
import { formatKeyRing, parseKeyRing } from '../../../../src/model/keyring/ring-document.ts';

const FIRST = Buffer.from(Array.from({ length: 32 }, (_, index) => index * 7 + 1)).toString('base64');
const SECOND = Buffer.from(Array.from({ length: 32 }, (_, index) => 255 - index * 3)).toString('base64');

const goodText = `version: 1
current: k20260201-bbbbbb
staged: next
keys:
  - { id: k20260101-aaaaaa, createdAt: 2026-01-01T00:00:00Z, key: ${FIRST} }
  - { id: k20260201-bbbbbb, createdAt: 2026-02-01T02:00:00+02:00, key: "${SECOND}" }
  - { id: next, createdAt: 2026-03-01T00:00:00Z, key: ${Buffer.alloc(32, 200).toString('base64')} }
`;

function contentOf(text: string): RingContent {
  const parsed = parseKeyRing({ file: 'ring.yaml', text });
  assert.ok('content' in parsed, JSON.stringify(parsed));
  return parsed.content;
}

function problemsOf(text: string): readonly string[] {
  const parsed = parseKeyRing({ file: 'ring.yaml', text });
  return 'problems' in parsed ? parsed.problems.map(formatProblem) : [];
}

/** A ring whose one key is written as given. */
function withKey(key: string, id = 'a'): string {
  return `version: 1\ncurrent: ${id}\nkeys:\n  - id: ${id}\n    createdAt: 2026-01-01T00:00:00Z\n    key: ${key}\n`;
}

describe('the text of a key ring', () => {
  it('is read', () => {
    const { currentKeyId, stagedKeyId, keys } = contentOf(goodText);
    assert.deepEqual([currentKeyId, stagedKeyId], ['k20260201-bbbbbb', 'next']);
    assert.deepEqual(
      keys.map(({ id, createdAt }) => [id, new Date(createdAt * 1000).toISOString()]),
      [
        ['k20260101-aaaaaa', '2026-01-01T00:00:00.000Z'],
        ['k20260201-bbbbbb', '2026-02-01T00:00:00.000Z'],
        ['next', '2026-03-01T00:00:00.000Z'],
      ],
    );
    assert.equal(keys[0]?.key.export().toString('base64'), FIRST);
    assert.equal(keys[1]?.key.export().toString('base64'), SECOND);
  });

  it('can be JSON on one line, as an environment variable holds it', () => {
    const ring = { version: 1, current: 'a', keys: [{ id: 'a', createdAt: '2026-01-01T00:00:00Z', key: FIRST }] };
    assert.equal(contentOf(JSON.stringify(ring)).currentKeyId, 'a');
  });

  it('is read as it was written, whatever the ids', () => {
    const id = fc.stringMatching(/^[a-z0-9-]{1,63}$/);
    const key = fc.record({
      id,
      createdAt: fc.integer({ min: 0, max: 4_000_000_000 }),
      key: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => createSecretKey(bytes)),
    });
    const keys = fc.uniqueArray(key, {
      minLength: 2,
      maxLength: 5,
      comparator: (one, other) => one.id === other.id || one.key.equals(other.key),
    });
    fc.assert(
      fc.property(keys, fc.boolean(), (all, isStaged) => {
        const [current, staged] = all;
        const ring = {
          currentKeyId: current?.id ?? '',
          stagedKeyId: isStaged ? (staged?.id ?? null) : null,
          keys: all,
        };
        const read = contentOf(formatKeyRing(ring));
        assert.deepEqual([read.currentKeyId, read.stagedKeyId], [ring.currentKeyId, ring.stagedKeyId]);
        assert.deepEqual(
          read.keys.map((found) => [found.id, found.createdAt, found.key.export()]),
          all.map((made) => [made.id, made.createdAt, made.key.export()]),
        );
      }),
      { numRuns: 40 },
    );
    for (const odd of ['1', '1e3', '0x1f', 'null', 'true', '-', '---', '-1', '07', '2026-01-01']) {
      const made = generateRingKey(1);
      const ring = { currentKeyId: odd, stagedKeyId: null, keys: [{ ...made, id: odd }] };
      assert.equal(contentOf(formatKeyRing(ring)).currentKeyId, odd);
    }
  });

  for (const [what, text, expected] of [
    ['nothing', '', ['ring.yaml:1:1: the key ring is empty; it begins with "version: 1"']],
    ['a comment', '# later\n', ['ring.yaml:1:1: the key ring is empty; it begins with "version: 1"']],
    ['only text', 'hello\n', ['ring.yaml:1:1: the document must be a mapping (key: value); it is a text']],
    ['another version', withKey(FIRST).replace('version: 1', 'version: 2'), ['ring.yaml:1:10: "version" must be 1']],
    [
      'nothing but a version',
      'version: 1\n',
      [
        'ring.yaml:1:1: "current" is missing; a key ring needs it',
        'ring.yaml:1:1: "keys" is missing; a key ring needs it',
      ],
    ],
    ['no keys', 'version: 1\ncurrent: a\nkeys: []\n', ['ring.yaml:3:7: "keys" must hold at least one key']],
    [
      'a current key that it does not have',
      withKey(FIRST).replace('current: a', 'current: b'),
      ['ring.yaml:2:10: "current" must be the id of one of "keys"; none of them has this id'],
    ],
    [
      'a staged key that it does not have',
      withKey(FIRST).replace('current: a', 'current: a\nstaged: b'),
      ['ring.yaml:3:9: "staged" must be the id of one of "keys"; none of them has this id'],
    ],
    [
      'a staged key that is current',
      withKey(FIRST).replace('current: a', 'current: a\nstaged: a'),
      ['ring.yaml:3:9: "staged" is the current key already; remove this line'],
    ],
    [
      'a misspelt name',
      withKey(FIRST).replace('createdAt', 'createdat'),
      [
        'ring.yaml:4:5: "createdAt" is missing; a key of the ring needs it',
        'ring.yaml:5:5: unknown key "createdat" in a key of the ring; did you mean "createdAt"?',
      ],
    ],
    [
      'an id twice and a key twice',
      `${withKey(FIRST)}  - id: a\n    createdAt: 2026-01-01T00:00:00Z\n    key: ${FIRST}\n`,
      [
        'ring.yaml:7:9: the key on line 4 has this id already; ids must differ',
        'ring.yaml:9:10: this is the same key as on line 4; remove one of them',
      ],
    ],
    [
      'a time without zone, a bad id and a bad key at once',
      'version: 1\ncurrent: a\nkeys:\n  - id: A_1\n    createdAt: 2026-01-01\n    key: c2hvcnQ=\n',
      [
        'ring.yaml:2:10: "current" must be the id of one of "keys"; none of them has this id',
        'ring.yaml:4:9: "id" must be 1 to 63 of the characters a-z, 0-9 and "-"',
        'ring.yaml:5:16: "createdAt" must be a time with its zone, such as 2027-01-01T00:00:00Z or 2027-01-01T00:00:00+02:00',
        'ring.yaml:6:10: "key" must be 32 bytes in base64, 44 characters with "=" at the end; "postern keyring rotate" makes one',
      ],
    ],
    [
      'an id that YAML takes for a number',
      'version: 1\ncurrent: 1\nkeys: []\n',
      [
        'ring.yaml:2:10: "current" must be a text, but YAML reads this as a number: quote it',
        'ring.yaml:3:7: "keys" must hold at least one key',
      ],
    ],
    ['an id of 64 characters', withKey(FIRST, 'a'.repeat(64)), 2],
    ['a syntax that is broken', 'version: 1\nkeys: [{ id: a, key: "\n', 1],
    ['two documents', `${withKey(FIRST)}---\n${withKey(SECOND)}`, 1],
    ['more than 1 MiB', `${withKey(FIRST)}#${'x'.repeat(1024 * 1024)}`, 1],
  ] as const) {
    it(`is refused for ${what}`, () => {
      const problems = problemsOf(text);
      if (typeof expected === 'number') assert.ok(problems.length >= expected, problems.join('\n'));
      else assert.deepEqual(problems, expected);
    });
  }

  for (const [what, key] of [
    ['31 bytes', Buffer.alloc(31, 5).toString('base64')],
    ['33 bytes', Buffer.alloc(33, 5).toString('base64')],
    ['nothing', '""'],
    ['no padding', FIRST.replace('=', '')],
    ['spare bits', `${FIRST.slice(0, 42)}h=`],
    ['the URL-safe alphabet', Buffer.alloc(32, 255).toString('base64url')],
    ['hexadecimal', Buffer.alloc(32, 5).toString('hex')],
    ['a blank inside', `"${FIRST.slice(0, 20)} ${FIRST.slice(20)}"`],
    ['a number', '12345'],
    ['a list', `[${FIRST}]`],
  ] as const) {
    it(`is refused for a key of ${what}`, () => {
      assert.match(problemsOf(withKey(key)).join('\n'), /^ring\.yaml:6:10: "key" must be /);
    });
  }

  it('is refused without a piece of a key in any message, wherever the key is', () => {
    const texts = [
      `version: 1\ncurrent: ${FIRST}\nkeys: []\n`,
      `version: 1\n${FIRST}: a\n`,
      `version: 1\ncurrent: a\nkeys: [{ ${FIRST} }]\n`,
      `version: 1\ncurrent: a\nkeys: [{ ${FIRST}, ${FIRST} }]\n`,
      `version: 1\ncurrent: a\nkeys: [{ id: ${FIRST}, key: ${FIRST}x }]\n`,
      `version: 1\ncurrent: a\nkeys:\n  ${FIRST}: { ${FIRST}: ${FIRST} }\n`,
      `version: 1\ncurrent: a\nkeys: [${FIRST}, &${FIRST} x, *${FIRST}, !${FIRST} y]\n`,
      FIRST,
      `"${FIRST}`,
      `${FIRST}\n---\n${FIRST}`,
      `version: ${FIRST}`,
      withKey(`!${FIRST}`),
      withKey(`${FIRST}: x`),
    ];
    for (const text of texts) {
      const parsed = parseKeyRing({ file: 'ring.yaml', text });
      assert.ok('problems' in parsed, text);
      const shown = JSON.stringify(parsed.problems);
      for (let start = 0; start + 8 <= FIRST.length; start += 1) {
        assert.ok(!shown.includes(FIRST.slice(start, start + 8)), shown);
      }
    }
  });

  it('is read or refused, whatever it is, and never breaks anything', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.nat(goodText.length), (noise, at) => {
        for (const text of [noise, goodText.slice(0, at) + noise, goodText.slice(0, at) + noise + goodText.slice(at)]) {
          const parsed = parseKeyRing({ file: 'ring.yaml', text });
          assert.ok('content' in parsed || parsed.problems.length > 0);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('is never taken when it is cut before its last key', () => {
    const end = goodText.lastIndexOf('key: ');
    for (let length = 0; length < end; length += 3) {
      const parsed = parseKeyRing({ file: 'ring.yaml', text: goodText.slice(0, length) });
      assert.ok('problems' in parsed, goodText.slice(0, length));
    }
  });
});

describe('a new key', () => {
  it('is random, with the day in its id', () => {
    const [one, other] = [generateRingKey(1_795_219_200), generateRingKey(1_795_219_200)];
    assert.match(one.id, /^k20261121-[0-9a-f]{6}$/);
    assert.equal(one.createdAt, 1_795_219_200);
    assert.equal(one.key.symmetricKeySize, 32);
    assert.ok(!one.key.equals(other.key));
  });
});
