import assert from 'node:assert/strict';
import { connect } from 'node:http2';
import { Duplex } from 'node:stream';
import fc from 'fast-check';
import { CLIENT_PREFACE, frameFlag, frameType } from '../../../../../src/wire/http2/frame.ts';
import { FrameReader } from '../../../../../src/wire/http2/frame-reader.ts';
import { HpackDecoder } from '../../../../../src/wire/http2/hpack/decoder.ts';
import { createStaticTable } from '../../../../../src/wire/http2/hpack/tables.ts';

const classify = (): number => 1;
const fieldName = fc.stringMatching(/^x-[a-z0-9-]{1,30}$/);
const fieldValue = fc.stringMatching(/^[!-~]([ -~]{0,60}[!-~])?$/);
const requests = fc.array(fc.dictionary(fieldName, fieldValue, { maxKeys: 8 }), { minLength: 1, maxLength: 30 });

describe('decoding header blocks that nghttp2 encoded', () => {
  it('finds the fields of every request of a connection', async () => {
    await fc.assert(
      fc.asyncProperty(requests, async (sent) => {
        const blocks = await encode(sent);
        const hpack = new HpackDecoder({ staticTable: createStaticTable(classify), classify, tableLimitBytes: 4096 });
        const received = blocks.map((block) => {
          const fields: Record<string, string> = {};
          const problem = hpack.decode(block, 0, block.length, {
            field: ({ name, value }) => {
              if (name.startsWith('x-')) fields[name] = value;
            },
          });
          assert.equal(problem, null);
          return fields;
        });
        assert.deepEqual(
          received,
          sent.map((headers) => ({ ...headers })),
        );
      }),
      { numRuns: 60 },
    );
  });
});

/** The header blocks of these requests as Node.js's own HTTP/2 client sends them. */
async function encode(sent: readonly Readonly<Record<string, string>>[]): Promise<Buffer[]> {
  const blocks: Buffer[] = [];
  const reader = new FrameReader(CLIENT_PREFACE);
  return await new Promise<Buffer[]>((resolve) => {
    const wire = new Duplex({
      read: () => undefined,
      write: (chunk: Buffer, _encoding, done) => {
        reader.push(chunk, {
          frame: (type, flags, _id, bytes, start, end) => {
            if (type !== frameType.headers) return true;
            assert.ok((flags & frameFlag.endHeaders) !== 0);
            blocks.push(Buffer.from(bytes.subarray(start, end)));
            return true;
          },
        });
        done();
        if (blocks.length < sent.length) return;
        session.destroy();
        resolve(blocks);
      },
    });
    const session = connect('http://localhost', { createConnection: () => wire });
    session.on('error', () => undefined);
    for (const headers of sent) session.request(headers).on('error', () => undefined);
  });
}
