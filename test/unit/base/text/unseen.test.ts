import assert from 'node:assert/strict';
import fc from 'fast-check';
import { findUnseenEdge } from '../../../../src/base/text/unseen.ts';

describe('the edges of a secret', () => {
  const unseen = [
    ...[
      '\ufeff',
      ' ',
      '\u00a0',
      '\t',
      '\n',
      '\r',
      '\u200b',
      '\u200e',
      '\u2028',
      '\u00ad',
      '\u3164',
      '\u2800',
      '\u{e0020}',
    ],
  ];
  // Neither controls nor blanks, also of other planes.
  const seen = fc.stringMatching(/^[!-~ä漢😀]{16,40}$/u);

  it('hold no character that nobody sees', () => {
    const property = fc.property(seen, fc.constantFrom(...unseen), (secret, character) => {
      assert.equal(findUnseenEdge(secret), null);
      for (const text of [`${character}${secret}`, `${secret}${character}`]) {
        const fault = findUnseenEdge(text) ?? assert.fail(JSON.stringify(text));
        assert.match(
          fault,
          text.endsWith('\r') ? /^ends with a carriage return/ : /^(begins|ends) with .*U\+[0-9A-F]{4}/,
        );
        assert.ok(!fault.includes(secret));
      }
      assert.equal(findUnseenEdge(`${secret}${character}${secret}`), null);
    });
    fc.assert(property);
  });

  it('are named', () => {
    assert.equal(findUnseenEdge('\ufeffa'), 'begins with a byte order mark (U+FEFF), which nobody sees: remove it');
    assert.equal(findUnseenEdge('a\u2060'), 'ends with U+2060, which nobody sees: remove it');
    assert.equal(findUnseenEdge('a\r'), 'ends with a carriage return: save the file with Unix line ends');
    assert.equal(findUnseenEdge('a \u2764\ufe0f'), null);
    assert.equal(findUnseenEdge(''), null);
  });
});
