import assert from 'node:assert/strict';
import fc from 'fast-check';
import { internalized, internalizeWithin } from '../../../../src/stores/file/internalized.ts';

// That V8 keeps the texts once is asserted in hidden-classes.test.ts.
describe('texts from another thread', () => {
  it('stay the same texts', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        assert.equal(internalized(text), text);
      }),
    );
  });

  it('are replaced in place, and nothing else changes', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ maxDepth: 4 })), (value) => {
        const copy = structuredClone(value);
        assert.equal(internalizeWithin(copy), copy);
        assert.deepEqual(copy, value);
      }),
    );
  });
});
