import assert from 'node:assert/strict';
import { RecordFaults } from '../../../../../src/stores/mongodb/feed/record-faults.ts';
import { describeFault, type DocumentFault } from '../../../../../src/stores/mongodb/mapping/document-fault.ts';
import { fixedClock } from '../../../../support/time/fixed-clock.ts';

function faultOf(id: string, problem = 'is wrong', collection = 'credentials'): DocumentFault {
  return { collection, id: `"${id}"`, field: 'state', problem, kind: 'malformed' };
}

describe('faulty documents', () => {
  let told: string[];
  let clock: ReturnType<typeof fixedClock>;
  let faults: RecordFaults;

  beforeEach(() => {
    told = [];
    clock = fixedClock();
    faults = new RecordFaults(clock, (fault) => told.push(describeFault(fault)));
  });

  it('are reported once, and again when something else is wrong with them', () => {
    faults.note(faultOf('a'));
    faults.note(faultOf('a'));
    faults.note(faultOf('a', 'is worse'));
    assert.deepEqual(told, ['credentials "a", state: is wrong', 'credentials "a", state: is worse']);
    assert.equal(faults.count('credentials'), 1);
    assert.equal(faults.count('grants'), 0);
  });

  it('are forgotten when they are fixed, and reported when they are faulty again', () => {
    faults.note(faultOf('a'));
    faults.forget('credentials', 'a');
    assert.equal(faults.count('credentials'), 0);
    faults.note(faultOf('a'));
    assert.equal(told.length, 2);
  });

  it('of a collection that was read as a whole are those and no others', () => {
    faults.note(faultOf('a', 'is wrong', 'endpoints'));
    faults.note(faultOf('a'));
    faults.replace('endpoints', [faultOf('b', 'is wrong', 'endpoints')]);
    assert.deepEqual([faults.count('endpoints'), faults.count('credentials')], [1, 1]);
    faults.replace('endpoints', []);
    assert.equal(faults.count('endpoints'), 0);
  });

  it('are reported at most twenty times a minute, and counted all the same', () => {
    for (let number = 0; number < 100; number += 1) faults.note(faultOf(String(number)));
    assert.equal(told.length, 20);
    assert.equal(faults.count('credentials'), 100);
    clock.advance(61);
    faults.note(faultOf('later'));
    assert.equal(told.length, 21);
  });

  it('take a bounded memory', () => {
    for (let number = 0; number < 12_000; number += 1) faults.note(faultOf(String(number)));
    assert.equal(faults.count('credentials'), 10_000);
  });
});
