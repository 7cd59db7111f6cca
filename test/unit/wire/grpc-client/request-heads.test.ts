import assert from 'node:assert/strict';
import fc from 'fast-check';
import { RequestHeads } from '../../../../src/wire/grpc-client/request-heads.ts';
import { HpackDecoder } from '../../../../src/wire/http2/hpack/decoder.ts';
import { createStaticTable } from '../../../../src/wire/http2/hpack/tables.ts';
import { requestFields } from '../../../support/grpc/fake-client.ts';

/** What a server reads of blocks, one after the other. */
function reader() {
  const classify = (): number => 1;
  const hpack = new HpackDecoder({ staticTable: createStaticTable(classify), classify, tableLimitBytes: 4096 });
  return (block: Uint8Array): readonly string[] => {
    const fields: string[] = [];
    const problem = hpack.decode(Buffer.from(block), 0, block.length, {
      field: ({ name, value }) => fields.push(`${name}: ${value}`),
    });
    assert.equal(problem, null);
    return fields.sort();
  };
}

const fieldsWith = (timeout: string): readonly string[] =>
  [
    ':method: POST',
    ':scheme: http',
    ':path: /S/M',
    ':authority: limits:8081',
    'te: trailers',
    'content-type: application/grpc',
    'user-agent: test',
    `grpc-timeout: ${timeout}`,
  ].sort();

describe('the header blocks of requests', () => {
  it('hold every field, from the second one on in an octet each', () => {
    const heads = new RequestHeads(requestFields);
    const read = reader();
    const sizes = [50, 50, 49, 50, 3].map((timeoutMs) => {
      const head = heads.head(timeoutMs);
      assert.deepEqual(read(head), fieldsWith(`${String(timeoutMs)}m`));
      return head.length;
    });
    assert.deepEqual(sizes.slice(1), [8, 13, 8, 12]);
  });

  it('hold the same fields in whatever order timeouts and a smaller table come', () => {
    const timeout = fc.integer({ min: 1, max: 99_999_999 });
    const step = fc.oneof(timeout, fc.constantFrom('shrink', 'grow'));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const heads = new RequestHeads(requestFields);
        const read = reader();
        for (const each of steps) {
          if (each === 'shrink') heads.limitTable(100);
          else if (each === 'grow') heads.limitTable(65_536);
          else assert.deepEqual(read(heads.head(each)), fieldsWith(`${String(each)}m`));
        }
      }),
    );
  });

  it('say once that they use no table, where the server wants a smaller one', () => {
    const heads = new RequestHeads(requestFields);
    heads.head(50);
    heads.limitTable(0);
    const blocks = [heads.head(50), heads.head(50), heads.head(50)];
    assert.deepEqual(
      blocks.map(([first]) => first),
      [0x20, 0x83, 0x83],
    );
    // Literals that enter no table begin with 0000; none of the others is there.
    assert.equal(blocks[1], blocks[2]);
  });

  it('take an authority and a path of any length', () => {
    const text = fc.string({ minLength: 1, maxLength: 400, unit: fc.constantFrom('a', '.', '/', '0') });
    fc.assert(
      fc.property(text, text, (authority, path) => {
        const heads = new RequestHeads({ ...requestFields, authority, path });
        const read = reader();
        for (let round = 0; round < 2; round += 1) {
          const fields = read(heads.head(50));
          assert.ok(fields.includes(`:authority: ${authority}`) && fields.includes(`:path: ${path}`));
        }
      }),
    );
  });
});
