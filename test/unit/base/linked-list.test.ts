import assert from 'node:assert/strict';
import fc from 'fast-check';
import { LinkedList, type Place } from '../../../src/base/linked-list.ts';

const changes = fc.array(fc.record({ kind: fc.constantFrom('append', 'remove', 'moveToEnd'), at: fc.nat(20) }), {
  maxLength: 60,
});

describe('a linked list', () => {
  it('has the order of a list in which the same was done', () => {
    fc.assert(
      fc.property(changes, (steps) => {
        const list = new LinkedList<number>();
        const places: Place<number>[] = [];
        let expected: number[] = [];
        for (const [number, { kind, at }] of steps.entries()) {
          const place = places[at];
          if (kind === 'append' || place === undefined) {
            places.push(list.append(number));
            expected.push(number);
            continue;
          }
          const isThere = expected.includes(place.value);
          expected = expected.filter((value) => value !== place.value);
          if (kind === 'remove') assert.equal(list.remove(place), isThere);
          else {
            list.moveToEnd(place);
            if (isThere) expected.push(place.value);
          }
          assert.deepEqual(list.values(), expected);
          assert.equal(list.size, expected.length);
          assert.equal(list.first?.value, expected[0]);
          assert.equal(list.first?.next?.value, expected[1]);
        }
      }),
    );
  });

  it('leaves alone a place of another list', () => {
    const list = new LinkedList<string>();
    const other = new LinkedList<string>();
    list.append('a');
    const place = other.append('b');
    assert.equal(list.remove(place), false);
    list.moveToEnd(place);
    assert.deepEqual([list.values(), other.values()], [['a'], ['b']]);
  });

  it('keeps nothing through a place that was removed', () => {
    const list = new LinkedList<string>();
    const place = list.append('a');
    list.append('b');
    list.remove(place);
    assert.equal(place.next, null);
  });
});
