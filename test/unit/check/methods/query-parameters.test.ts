import assert from 'node:assert/strict';
import fc from 'fast-check';
import { findParameter, removeParameter } from '../../../../src/check/methods/query-parameters.ts';

const repeated = { repeated: true };

describe('a parameter of a query', () => {
  for (const [query, expected] of [
    ['', null],
    ['a', null],
    ['a=', ''],
    ['a=1', '1'],
    ['a=1=2', '1=2'],
    ['a==', '='],
    ['a=%zz', '%zz'],
    ['%61=+', '+'],
    ['b=1&a=2', '2'],
    ['&&a=2&&', '2'],
    ['a&a=1', '1'],
    ['a=1&a=1', repeated],
    ['a=&%61=', repeated],
    ['aa=1', null],
    ['A=1', null],
    ['=a', null],
    ['a%=1', null],
  ] as const) {
    it(`?${query} is ${JSON.stringify(expected)}`, () => {
      assert.deepEqual(findParameter(query, 'a'), expected);
    });
  }

  it('is found under the longest spelling of its name', () => {
    const encoded = (name: string): string => Buffer.from(name).toString('hex').replace(/../g, '%$&');
    for (const name of ['€', 'ä', '😀', 'a€😀']) {
      assert.equal(findParameter(`${encoded(name)}=1`, name), '1');
      assert.equal(removeParameter(`x&${encoded(name)}`, name), 'x');
    }
  });

  it('is removed with all of its name, and nothing else is', () => {
    const query = fc.string({ unit: fc.constantFrom('a', 'b', '&', '=', '%61', '%', '+') });
    fc.assert(
      fc.property(query, (text) => {
        const kept = removeParameter(removeParameter(text, 'a'), 'b');
        assert.equal(findParameter(kept, 'a'), null);
        assert.equal(findParameter(kept, 'b'), null);
        const isOther = (segment: string): boolean => !/^(a|b|%61)(=|$)/.test(segment);
        assert.equal(kept, text.split('&').filter(isOther).join('&'));
      }),
      { numRuns: 2000 },
    );
  });
});
