import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  carrierKinds,
  carrierOf,
  carrierText,
  describeCarrier,
  isSameCarrier,
  partsOf,
  takesAll,
} from '../../../../src/model/options/key-carrier.ts';

const name = fc.stringMatching(/^[A-Za-z][\w.-]{0,12}$/);
const parts = fc.oneof(
  fc.record({ kind: fc.constantFrom(...carrierKinds), name, scheme: fc.constant(null) }, { noNullPrototype: true }),
  fc.record({ kind: fc.constant('header' as const), name, scheme: name }, { noNullPrototype: true }),
);

describe('a place of App Keys', () => {
  it('is put together and taken apart again', () => {
    fc.assert(
      fc.property(parts, (given) => {
        assert.deepEqual(partsOf(carrierOf(given)), given);
      }),
    );
  });

  it('is read in the word that it is written in', () => {
    fc.assert(
      fc.property(parts, (given) => {
        const carrier = carrierOf(given);
        assert.deepEqual(carrierText.parse(carrierText.format(carrier)), carrier);
      }),
    );
  });

  it('keeps colons in the name of a parameter, and none in that of a header', () => {
    assert.deepEqual(carrierText.parse('query:a:b'), { query: 'a:b' });
    assert.deepEqual(carrierText.parse('header:A:B:C'), { header: 'A', scheme: 'B:C' });
    for (const word of ['header', 'cookie:a', '', 'X-App-Key']) assert.equal(carrierText.parse(word), null, word);
    assert.deepEqual(carrierText.guess('cookie:a:b'), { cookie: 'a:b' });
    assert.deepEqual(carrierText.forms, ['header:NAME', 'header:NAME:SCHEME', 'query:NAME']);
  });

  it('is the same whatever the case of headers and schemes, but not of parameters', () => {
    assert.ok(isSameCarrier({ header: 'X-Key', scheme: 'A' }, { header: 'x-key', scheme: 'a' }));
    assert.ok(!isSameCarrier({ query: 'k' }, { query: 'K' }));
    assert.ok(!isSameCarrier({ query: 'k' }, { header: 'k' }));
    assert.ok(takesAll({ header: 'X-Key' }, { header: 'x-key', scheme: 'A' }));
    assert.ok(!takesAll({ header: 'X-Key', scheme: 'A' }, { header: 'x-key' }));
  });

  it('is named for people', () => {
    assert.equal(describeCarrier({ query: 'k' }), 'the query parameter k');
    const mark = (text: string): string => `<${text}>`;
    assert.equal(describeCarrier({ header: 'A', scheme: 'B' }, mark), 'the header <A> after the word <B>');
  });
});
