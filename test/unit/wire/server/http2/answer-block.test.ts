import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  acceptsIdentity,
  answerHead,
  failureTrailers,
  okTrailers,
  percentEncode,
  plainHead,
} from '../../../../../src/wire/server/http2/answer-block.ts';
import { HpackDecoder } from '../../../../../src/wire/http2/hpack/decoder.ts';
import { createStaticTable } from '../../../../../src/wire/http2/hpack/tables.ts';

function fieldsOf(block: Buffer): string[] {
  const classify = (): number => 1;
  const hpack = new HpackDecoder({ staticTable: createStaticTable(classify), classify, tableLimitBytes: 0 });
  const fields: string[] = [];
  const problem = hpack.decode(block, 0, block.length, {
    field: ({ name, value }) => fields.push(`${name}: ${value}`),
  });
  assert.equal(problem, null);
  return fields;
}

describe('header blocks of answers', () => {
  it('say what gRPC wants said', () => {
    assert.deepEqual(fieldsOf(answerHead), [':status: 200', 'content-type: application/grpc']);
    assert.deepEqual(fieldsOf(okTrailers), ['grpc-status: 0']);
    assert.deepEqual(fieldsOf(acceptsIdentity), ['grpc-accept-encoding: identity']);
    assert.deepEqual(fieldsOf(plainHead(415)), [':status: 415', 'content-type: text/plain; charset=utf-8']);
    assert.deepEqual(fieldsOf(failureTrailers({ status: 14, message: 'gone' })), [
      'grpc-status: 14',
      'grpc-message: gone',
    ]);
  });

  it('carry any message, cut where it is too long and never inside an escape', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (message) => {
        const encoded = percentEncode(message);
        assert.match(encoded, /^(?:[\x20-\x24\x26-\x7e]|%[0-9A-F]{2})*$/);
        assert.ok(encoded.length <= 126);
        const [, field] = fieldsOf(failureTrailers({ status: 5, message }));
        assert.equal(field, `grpc-message: ${encoded}`);
      }),
    );
    assert.equal(percentEncode('100 % ü\n'), '100 %25 %C3%BC%0A');
  });
});
