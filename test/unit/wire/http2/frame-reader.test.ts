import assert from 'node:assert/strict';
import fc from 'fast-check';
import { CLIENT_PREFACE, errorCode } from '../../../../src/wire/http2/frame.ts';
import { FrameReader } from '../../../../src/wire/http2/frame-reader.ts';
import { clientPreface, frame } from '../../../support/grpc/fake-wire.ts';

const preface = clientPreface.subarray(0, 24);
type Seen = readonly [number, number, number, string];

/** Reads pieces, and gives the frames. */
function read(pieces: readonly Buffer[], goesOn: () => boolean = () => true): Seen[] | number {
  const reader = new FrameReader(CLIENT_PREFACE);
  const seen: Seen[] = [];
  for (const piece of pieces) {
    const problem = reader.push(piece, {
      frame: (type, flags, id, bytes, start, end) => {
        seen.push([type, flags, id, bytes.toString('hex', start, end)]);
        return goesOn();
      },
    });
    if (problem !== null) return problem.code;
  }
  return seen;
}

describe('cutting a connection into frames', () => {
  it('finds the frames wherever the input is cut', () => {
    const frames = fc.array(fc.tuple(fc.nat(255), fc.nat(255), fc.nat(0x7fffffff), fc.uint8Array({ maxLength: 40 })));
    fc.assert(
      fc.property(frames, fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 }), (sent, cuts) => {
        const input = Buffer.concat([preface, ...sent.map((parts) => frame(...parts))]);
        const pieces: Buffer[] = [];
        for (let at = 0, n = 0; at < input.length; n++) {
          const length = cuts[n % cuts.length] ?? 1;
          pieces.push(input.subarray(at, at + length));
          at += length;
        }
        assert.deepEqual(
          read(pieces),
          sent.map(([type, flags, id, payload]) => [type, flags, id, Buffer.from(payload).toString('hex')]),
        );
      }),
    );
  });

  it('ignores the reserved bit of stream identifiers', () => {
    assert.deepEqual(read([preface, frame(0, 0, 0x80000005)]), [[0, 0, 5, '']]);
  });

  it('refuses another preface, at the first wrong octet', () => {
    for (let at = 0; at < 24; at++) {
      const wrong = Buffer.from(preface);
      wrong[at] = 0x20 ^ (wrong[at] ?? 0);
      assert.equal(read([wrong.subarray(0, at + 1)]), errorCode.protocolError);
    }
  });

  it('takes frames of 16384 octets and refuses larger ones, before they have come', () => {
    assert.deepEqual(read([preface, frame(0, 0, 1, Buffer.alloc(16384))]), [[0, 0, 1, '00'.repeat(16384)]]);
    const tooLarge = frame(0, 0, 1, Buffer.alloc(16385));
    assert.equal(read([Buffer.concat([preface, tooLarge.subarray(0, 9)])]), errorCode.frameSizeError);
    assert.equal(read([preface, tooLarge.subarray(0, 5), tooLarge.subarray(5, 9)]), errorCode.frameSizeError);
  });

  it('stops when it is told to', () => {
    const two = Buffer.concat([frame(1, 0, 1), frame(2, 0, 1)]);
    assert.deepEqual(
      read([preface, two], () => false),
      [[1, 0, 1, '']],
    );
    assert.deepEqual(
      read([preface, two.subarray(0, 5), two.subarray(5)], () => false),
      [[1, 0, 1, '']],
    );
  });

  it('puts large frames together where the one before was', () => {
    const reader = new FrameReader(CLIENT_PREFACE);
    const used: { readonly memory: unknown; readonly text: string }[] = [];
    const sink = {
      frame: (_type: number, _flags: number, _id: number, bytes: Buffer, start: number, end: number): boolean => {
        used.push({ memory: bytes.buffer, text: bytes.toString('latin1', start, end) });
        return true;
      },
    };
    reader.push(Buffer.from(preface), sink);
    const payloads = ['a'.repeat(16384), 'b'.repeat(5000), 'c'.repeat(4000), 'd'.repeat(16384)];
    const cuts = [100, 4, 100, 8];
    for (const [n, payload] of payloads.entries()) {
      const whole = frame(0, 0, 1, Buffer.from(payload));
      reader.push(whole.subarray(0, cuts[n]), sink);
      reader.push(whole.subarray(cuts[n]), sink);
    }
    assert.deepEqual(
      used.map(({ text }) => text),
      payloads,
    );
    const [a, b, c, d] = used.map(({ memory }) => memory);
    assert.equal(b, a);
    assert.notEqual(c, a, 'a small one has memory of its own');
    assert.equal(d, a);
  });
});
