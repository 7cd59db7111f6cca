import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type ConnectionLimits, ConnectionTable, type Guest } from '../../../../src/wire/server/connection-table.ts';
import { fixedClock, type FixedClock } from '../../../support/time/fixed-clock.ts';

/** A connection that does what it is told, unless it is stubborn. */
class FakeGuest implements Guest {
  readonly peer: string;
  readonly address: string | null;
  servedAtMs: number | null = null;
  isWorking = false;
  isOpen = false;
  state: 'in' | 'leaving' | 'hurried' | 'cut' = 'in';

  constructor(address: string | null, name = address ?? 'unix') {
    this.address = address;
    this.peer = name;
  }

  leave(): void {
    this.state = 'leaving';
  }

  finishLeaving(): void {
    this.state = 'hurried';
  }

  cut(): void {
    this.state = 'cut';
  }
}

interface Fixture {
  readonly table: ConnectionTable;
  readonly clock: FixedClock;
  readonly told: string[];
  /** Lets one in, a millisecond after the one before. */
  readonly enter: (address: string | null, name?: string) => FakeGuest;
  readonly serve: (guest: FakeGuest) => void;
}

function fixture(limits: Partial<ConnectionLimits> = {}): Fixture {
  const clock = fixedClock();
  const told: string[] = [];
  const whole = { maxConnections: 64, maxOfAddress: 32, unusedMs: 30_000, idleMs: 900_000, ...limits };
  const table = new ConnectionTable(whole, clock, {
    connectionEnded: (end, peer) => told.push(`${end} ${peer}`),
  });
  return {
    table,
    clock,
    told,
    enter: (address, name) => {
      clock.advance(0.001);
      const guest = new FakeGuest(address, name);
      assert.equal(table.admit(guest), true);
      return guest;
    },
    serve: (guest) => {
      clock.advance(0.001);
      guest.servedAtMs = clock.nowMs();
    },
  };
}

const address = (n: number): string => `10.0.${String(n >> 8)}.${String(n & 0xff)}`;
const statesOf = (guests: readonly FakeGuest[]): string[] => guests.map(({ state }) => state);

describe('the table of connections', () => {
  it('asks the oldest that never had an answer to leave, when one place in sixteen is left', () => {
    const { enter, told } = fixture();
    const guests = Array.from({ length: 60 }, (_, n) => enter(address(n)));
    assert.deepEqual(told, []);
    enter(address(60));
    enter(address(61));
    assert.deepEqual(told, ['full 10.0.0.0', 'full 10.0.0.1']);
    assert.deepEqual(statesOf(guests.slice(0, 3)), ['leaving', 'leaving', 'in']);
  });

  it('asks those first that never had an answer, then those whose last one is longest ago', () => {
    const { enter, serve, told } = fixture({ maxConnections: 16, maxOfAddress: 16 });
    const guests = Array.from({ length: 14 }, (_, n) => enter(null, String(n)));
    for (const guest of [...guests].reverse()) if (guest.peer !== '9') serve(guest);
    enter(null, 'a').servedAtMs = Infinity;
    assert.deepEqual(told, []);
    for (const name of ['b', 'c', 'd']) enter(null, name).servedAtMs = Infinity;
    assert.deepEqual(told, ['full 9', 'full 13', 'full 12']);
  });

  it('leaves those alone on which something is worked, and refuses when that are all', () => {
    const { table, enter, told } = fixture({ maxConnections: 16, maxOfAddress: 16 });
    const guests = Array.from({ length: 16 }, (_, n) => {
      const guest = enter(address(n));
      guest.isWorking = true;
      return guest;
    });
    const late = new FakeGuest('10.9.9.9');
    assert.equal(table.admit(late), false);
    assert.deepEqual(told, ['refused 10.9.9.9']);
    assert.ok(guests.every(({ state }) => state === 'in'));
    assert.equal(table.size, 16);
  });

  it('cuts who does not leave when there is no other place, the one that was asked first', () => {
    const { table, enter, told } = fixture({ maxConnections: 32, maxOfAddress: 32 });
    const guests = Array.from({ length: 33 }, (_, n) => enter(address(n)));
    assert.deepEqual(told, ['full 10.0.0.0', 'full 10.0.0.1', 'full 10.0.0.2']);
    assert.deepEqual(statesOf(guests.slice(0, 3)), ['cut', 'leaving', 'leaving']);
    assert.equal(table.size, 32);
  });

  it('gives no address more than its share: one of the same address makes room, others stay', () => {
    const { enter, told } = fixture({ maxConnections: 64, maxOfAddress: 16 });
    const other = enter('10.0.0.2');
    const guests = Array.from({ length: 40 }, () => enter('10.0.0.1'));
    assert.equal(other.state, 'in');
    assert.equal(guests.filter(({ state }) => state !== 'cut').length, 16);
    assert.equal(guests.filter(({ state }) => state === 'in').length, 15);
    assert.equal(told.length, 25);
    assert.ok(told.every((line) => line === 'share 10.0.0.1'));
  });

  it('refuses an address whose share is all worked on, and takes others', () => {
    const { table, enter } = fixture({ maxConnections: 64, maxOfAddress: 16 });
    for (let n = 0; n < 16; n++) enter('10.0.0.1').isWorking = true;
    assert.equal(table.admit(new FakeGuest('10.0.0.1')), false);
    assert.equal(table.admit(new FakeGuest('10.0.0.2')), true);
  });

  it('counts IPv6 by /64, and IPv4 in IPv6 as IPv4', () => {
    const { enter, told } = fixture({ maxConnections: 64, maxOfAddress: 16 });
    for (let n = 0; n < 8; n++) enter(`2001:db8::${String(n)}`);
    for (let n = 0; n < 8; n++) enter(`2001:db8::1:${String(n)}`);
    enter('2001:db8:0:1::1');
    assert.equal(told.length, 1);
    for (let n = 0; n < 8; n++) enter('10.0.0.1');
    for (let n = 0; n < 8; n++) enter('::ffff:10.0.0.1');
    assert.equal(told.length, 2);
  });

  it('gives a unix socket, which has no addresses, all there is', () => {
    const { enter, told } = fixture({ maxConnections: 64, maxOfAddress: 4 });
    for (let n = 0; n < 60; n++) enter(null);
    assert.deepEqual(told, []);
  });

  it('has room again for who comes after somebody left, and forgets the address', () => {
    const { table, enter, told } = fixture({ maxConnections: 64, maxOfAddress: 16 });
    for (let round = 0; round < 5; round++) {
      const guests = Array.from({ length: 15 }, () => enter('10.0.0.1'));
      for (const guest of guests) table.left(guest);
      for (const guest of guests) table.left(guest); // once too often
    }
    assert.deepEqual([told, table.size], [[], 0]);
  });

  it('ends what never had an answer soon, what had one after long, and what is open or worked on never', () => {
    const { table, clock, enter, serve, told } = fixture();
    const silent = enter('10.0.0.1');
    const watching = enter('10.0.0.2');
    watching.isOpen = true;
    const working = enter('10.0.0.3');
    working.isWorking = true;
    const calm = enter('10.0.0.4');
    serve(calm);
    clock.advance(29);
    table.sweep();
    assert.deepEqual(told, []);
    clock.advance(2);
    table.sweep();
    assert.deepEqual([told.splice(0), silent.state], [['unused 10.0.0.1'], 'leaving']);
    table.left(silent);
    clock.advance(868);
    table.sweep();
    assert.deepEqual(told, []);
    clock.advance(2);
    table.sweep();
    assert.deepEqual(told, ['idle 10.0.0.4']);
    assert.deepEqual(statesOf([watching, working]), ['in', 'in']);
  });

  it('hurries who was asked to leave after a second and cuts after ten, but not in the middle of work', () => {
    const { table, clock, enter, told } = fixture();
    const guest = enter('10.0.0.1');
    clock.advance(31);
    table.sweep();
    clock.advance(2);
    table.sweep();
    assert.equal(guest.state, 'hurried');
    guest.isWorking = true;
    clock.advance(20);
    table.sweep();
    assert.equal(guest.state, 'hurried');
    guest.isWorking = false;
    table.sweep();
    assert.deepEqual([guest.state, table.size, told.length], ['cut', 0, 1]);
  });

  it('never holds more than its limits, whatever comes and goes, and lets in whoever it can', () => {
    const event = fc.record({
      what: fc.constantFrom('enter', 'enter', 'enter', 'leave', 'serve', 'work', 'rest', 'open', 'sweep', 'wait'),
      address: fc.constantFrom('10.0.0.1', '10.0.0.1', '10.0.0.2', '10.0.0.3', null),
      pick: fc.nat(1000),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 300 }), (events) => {
        const clock = fixedClock();
        const limits = { maxConnections: 12, maxOfAddress: 5, unusedMs: 30_000, idleMs: 900_000 };
        const table = new ConnectionTable(limits, clock);
        let inside: FakeGuest[] = [];
        for (const { what, address: from, pick } of events) {
          inside = inside.filter(({ state }) => state !== 'cut');
          const guest = inside[pick % Math.max(1, inside.length)];
          if (what === 'enter') {
            const group = from === null ? [] : inside.filter((each) => each.address === from);
            const isStuck = (guests: FakeGuest[], max: number): boolean =>
              guests.length >= max && guests.every(({ isWorking }) => isWorking);
            const mustRefuse = isStuck(inside, limits.maxConnections) || isStuck(group, limits.maxOfAddress);
            const fresh = new FakeGuest(from);
            assert.equal(table.admit(fresh), !mustRefuse);
            if (!mustRefuse) inside.push(fresh);
          } else if (what === 'sweep') table.sweep();
          else if (what === 'wait') clock.advance(pick);
          else if (guest !== undefined) {
            if (what === 'leave') {
              table.left(guest);
              inside = inside.filter((each) => each !== guest);
            } else if (what === 'serve') guest.servedAtMs = clock.nowMs();
            else if (what === 'open') guest.isOpen = !guest.isOpen;
            else guest.isWorking = what === 'work';
          }
          inside = inside.filter(({ state }) => state !== 'cut');
          assert.equal(table.size, inside.length);
          assert.ok(inside.length <= limits.maxConnections);
          for (const name of ['10.0.0.1', '10.0.0.2', '10.0.0.3']) {
            assert.ok(inside.filter((each) => each.address === name).length <= limits.maxOfAddress);
          }
        }
      }),
    );
  });
});
