import assert from 'node:assert/strict';
import { hourOf, type TrafficCount, type TrafficSelection } from '../../../../src/model/traffic-count.ts';
import { TrafficMemory } from '../../../../src/stores/traffic/traffic-memory.ts';
import { NOON } from '../../../support/time/fixed-clock.ts';

const HOUR_SECONDS = 3600;
const hour = hourOf(NOON);

function read(memory: TrafficMemory, selection: Partial<TrafficSelection> = {}): readonly TrafficCount[] {
  return [...memory.counts({ sinceHour: 0, consumers: null, ...selection })];
}

describe('the counts of requests in the memory of a process', () => {
  it('are read by time, endpoint and consumer', () => {
    const memory = new TrafficMemory();
    memory.count('orders', 'acme', 'ALLOWED', NOON);
    memory.count('orders', 'bolt', 'RATE_LIMITED', NOON);
    memory.count('stock', 'acme', 'ALLOWED', NOON + HOUR_SECONDS);
    const acmeOnOrders = { endpointId: 'orders', consumerId: 'acme', hour, codes: { ALLOWED: 1 } };
    const acmeOnStock = { endpointId: 'stock', consumerId: 'acme', hour: hour + 1, codes: { ALLOWED: 1 } };
    const bolt = { endpointId: 'orders', consumerId: 'bolt', hour, codes: { RATE_LIMITED: 1 } };
    assert.deepEqual(read(memory), [
      { endpointId: 'orders', consumerId: null, hour, codes: { ALLOWED: 1, RATE_LIMITED: 1 } },
      { endpointId: 'stock', consumerId: null, hour: hour + 1, codes: { ALLOWED: 1 } },
    ]);
    assert.deepEqual(read(memory, { consumers: 'each' }), [acmeOnOrders, bolt, acmeOnStock]);
    assert.deepEqual(read(memory, { consumers: ['acme'] }), [acmeOnOrders, acmeOnStock]);
    assert.deepEqual(read(memory, { consumers: ['acme'], endpointId: 'orders' }), [acmeOnOrders]);
    assert.deepEqual(read(memory, { consumers: 'each', sinceHour: hour + 1 }), [acmeOnStock]);
    assert.deepEqual(read(memory, { consumers: [] }), []);
  });

  it('are bounded: the oldest hours make room, and what finds none in its own hour is reported', () => {
    const memory = new TrafficMemory(4);
    for (const consumer of ['acme', 'bolt']) memory.count('orders', consumer, 'ALLOWED', NOON);
    memory.count('orders', 'core', 'ALLOWED', NOON + HOUR_SECONDS);
    assert.deepEqual([memory.size, memory.dropped], [2, 0]);
    assert.deepEqual(
      read(memory, { consumers: 'each' }).map(({ consumerId }) => consumerId),
      ['core'],
    );
    for (const consumer of ['dice', 'echo', 'fold']) memory.count('orders', consumer, 'ALLOWED', NOON + HOUR_SECONDS);
    assert.deepEqual([memory.size, memory.dropped], [4, 1]);
  });

  it('are those of a month at most', () => {
    const memory = new TrafficMemory();
    for (let at = 0; at < 800; at += 1) memory.count('orders', null, 'ALLOWED', NOON + at * HOUR_SECONDS);
    const kept = read(memory).map((count) => count.hour);
    assert.deepEqual([kept.length, kept[0], kept.at(-1)], [744, hour + 56, hour + 799]);
  });
});
