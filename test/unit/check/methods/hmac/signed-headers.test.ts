import assert from 'node:assert/strict';

import { maxSignedNames, parseSignedHeaders } from '../../../../../src/check/methods/hmac/signed-headers.ts';

describe('list of signed headers', () => {
  for (const list of [
    'date request-line',
    'request-line date',
    'date host request-line digest x-a',
    "date request-line x!#$%&'*+-.^_`|~09z",
  ]) {
    it(`takes ${list}`, () => {
      assert.deepEqual(parseSignedHeaders(list), list.split(' '));
    });
  }

  const spelling = 'the headers list is not lower-case names with single spaces between them';
  for (const [list, detail] of [
    ['', spelling],
    [' ', spelling],
    ['date  request-line', spelling],
    [' date request-line', spelling],
    ['date request-line ', spelling],
    ['date\trequest-line', spelling],
    ['date,request-line', spelling],
    ['Date request-line', spelling],
    ['date Request-Line', spelling],
    ['date request-line :path', spelling],
    ['date request-line (request-target)', spelling],
    ['date request-line x:y', spelling],
    ['date request-line é', spelling],
    ['date request-line x\0', spelling],
    ['date request-line\n', spelling],
    ['date request-line date', 'the headers list names a header twice'],
    ['date request-line request-line', 'the headers list names a header twice'],
    ['request-line', 'the headers list does not name date'],
    ['date host', 'the headers list does not name request-line'],
    ['date request-line authorization', 'the header authorization cannot be signed'],
    [`date request-line x-envoy-${'a'.repeat(100)}`, `the header x-envoy-${'a'.repeat(56)}… cannot be signed`],
  ] as const) {
    it(`refuses ${JSON.stringify(list)}`, () => {
      assert.deepEqual(parseSignedHeaders(list), { refused: 'CREDENTIALS_MALFORMED', detail });
    });
  }

  it('judges a list the same, whatever list it read before', () => {
    const lists = ['date request-line', 'date request-line host', 'date', '', 'date request-line date'];
    for (const before of lists) {
      for (const list of lists) {
        const judged = parseSignedHeaders(list);
        parseSignedHeaders(before);
        assert.deepEqual(parseSignedHeaders(list), judged);
      }
    }
    parseSignedHeaders('date request-line');
    assert.ok('refused' in parseSignedHeaders('date request-line', 1));
  });

  it('refuses more names than the request can have, before it looks at any of them', () => {
    const refusal = {
      refused: 'CREDENTIALS_MALFORMED',
      detail: 'the headers list has more names than the request has headers',
    };
    const list = 'date request-line host x-a';
    assert.deepEqual(parseSignedHeaders(list, 4), list.split(' '));
    assert.deepEqual(parseSignedHeaders(list, 3), refusal);
    assert.deepEqual(parseSignedHeaders('NOT A NAME', 2), refusal);
  });

  it('takes every name that a request can have', () => {
    // Authorization, date and x-a came; host is the authority, which may be no header.
    assert.equal(maxSignedNames(3), 'date request-line host x-a'.split(' ').length);
  });
});
