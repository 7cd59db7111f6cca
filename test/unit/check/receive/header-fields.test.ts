import assert from 'node:assert/strict';
import fc from 'fast-check';
import { HeaderMap } from '../../../../src/gen/envoy/config/core/v3/base.ts';
import { HeaderFields } from '../../../../src/check/receive/header-fields.ts';
import { WireReader } from '../../../../src/base/protobuf/wire-reader.ts';

type Line = readonly [name: string, value: string];

/** Enough look-ups to make the fields answer from their index. */
const MANY = 200;

function encoded(lines: readonly Line[]): Buffer {
  const headers = lines.map(([key, value]) => ({ key, rawValue: Buffer.from(value, 'latin1') }));
  return Buffer.from(HeaderMap.encode(HeaderMap.fromPartial({ headers })).finish());
}

function fieldsOf(message: Buffer, seen: Buffer = message): HeaderFields {
  const fields = new HeaderFields(seen);
  fields.readMap(new WireReader(message), 0, message.length);
  return fields;
}

/** The same bytes, with a count of those that are read one by one. */
function counting(bytes: Buffer): { readonly bytes: Buffer; readonly reads: () => number } {
  let reads = 0;
  const proxy = new Proxy(bytes, {
    get: (target, key): unknown => {
      if (typeof key === 'string' && /^\d+$/.test(key)) {
        reads += 1;
        return target[Number(key)];
      }
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  return { bytes: proxy, reads: () => reads };
}

describe('the headers of a request', () => {
  it('cost the same for many names that are looked up as for a few', () => {
    const names = Array.from({ length: 1000 }, (_, index) => `x-${String(index).padStart(4, '0')}`);
    const message = encoded(names.map((name) => [name, 'v'] as const));
    const watched = counting(message);
    const fields = fieldsOf(message, watched.bytes);
    for (const name of names) assert.deepEqual(fields.valuesOf(name), ['v']);
    for (const name of names) assert.deepEqual(fields.valuesOf(name.replace('x', 'y')), []);
    assert.ok(watched.reads() < 50 * message.length, `${String(watched.reads())} bytes were read`);
  });

  it('come by any name and in the order received, however many were looked up before', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'B', '-', 'é'), minLength: 1, maxLength: 3 });
    const value = fc.string({ unit: fc.constantFrom('1', '2', 'ÿ'), maxLength: 2 });
    fc.assert(
      fc.property(fc.array(fc.tuple(name, value), { maxLength: 12 }), name, (lines, wanted) => {
        const fields = fieldsOf(encoded(lines));
        const lower = wanted.toLowerCase();
        const first = fields.valuesOf(lower);
        for (let count = 0; count < MANY; count += 1) fields.valuesOf('absent');
        assert.deepEqual(fields.valuesOf(lower), first);
        assert.equal(fields.count, lines.length);
      }),
    );
  });
});
