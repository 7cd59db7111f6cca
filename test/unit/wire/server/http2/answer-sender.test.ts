import assert from 'node:assert/strict';
import { AnswerSender } from '../../../../../src/wire/server/http2/answer-sender.ts';
import { MAX_WINDOW_BYTES } from '../../../../../src/wire/http2/frame.ts';
import { FrameWriter } from '../../../../../src/wire/http2/frame-writer.ts';
import { StalledFirstPool } from '../../../../../src/wire/server/http2/stalled-first-pool.ts';
import { Stream } from '../../../../../src/wire/server/http2/stream.ts';
import { FakeWire } from '../../../../support/grpc/fake-wire.ts';

const WAITING = 2000;

/** A sender with answers that wait for their windows, and how often it has looked at a stream. */
class Sending {
  readonly wire = new FakeWire();
  readonly writer = new FrameWriter(this.wire);
  readonly streams: Stream[] = [];
  readonly sender: AnswerSender;
  looks = 0;
  windowSteps = 0;

  constructor(windowBytes: number) {
    const everything = { serverBytes: Infinity, connectionBytes: Infinity };
    this.sender = new AnswerSender(
      this.writer,
      new StalledFirstPool(everything).share(() => assert.fail('there is memory enough')),
      {
        answered: (stream) => {
          this.sender.drop(stream);
        },
        abort: () => assert.fail('there is memory enough'),
        spendWindowSteps: (steps) => {
          this.windowSteps += steps;
          return true;
        },
        writable: true,
        nowMs: 0,
      },
    );
    this.sender.changeInitialWindow(windowBytes, []);
    for (let id = 1; id <= 2 * WAITING; id += 2) this.add(id);
    this.writer.flush();
    this.wire.take();
    this.looks = 0;
  }

  add(id: number): void {
    const about = { id, method: null, path: '/', contentLength: -1, timeoutMs: Infinity, traceParent: null };
    const plain = new Stream({ ...about, nowMs: 0 });
    plain.ended = true;
    const stream = new Proxy(plain, {
      get: (target, name) => {
        if (name === 'outgoing' || name === 'sendOffsetBytes') this.looks++;
        return Reflect.get(target, name) as unknown;
      },
    });
    this.streams.push(stream);
    this.sender.unary(stream, Buffer.alloc(1000));
  }

  frames(): number {
    this.writer.flush();
    return this.wire.take().length;
  }
}

describe('the work of answers that wait', () => {
  it('is none for SETTINGS that change nothing, or close the windows', () => {
    const sending = new Sending(0);
    for (let n = 0; n < 5000; n++) {
      assert.equal(sending.sender.changeInitialWindow(0, sending.streams), true);
      sending.sender.settingsChanged();
    }
    assert.deepEqual([sending.looks, sending.frames(), sending.windowSteps], [0, 0, 0]);
  });

  it('is none for a connection window that opens while all wait for windows of their own', () => {
    const sending = new Sending(0);
    for (let n = 0; n < 5000; n++) sending.sender.widen(1);
    assert.deepEqual([sending.looks, sending.frames()], [0, 0]);
  });

  it('is that of one stream for a window of one, however many wait', () => {
    const sending = new Sending(0);
    const [stream] = sending.streams;
    assert.ok(stream);
    for (let n = 0; n < 100; n++) assert.equal(sending.sender.widenStream(stream, 1), true);
    assert.equal(sending.frames(), 100);
    assert.equal(sending.windowSteps, 100, 'each small frame is charged');
    assert.ok(sending.looks < 100 * 20, String(sending.looks));
  });

  it('is that of one stream for a new answer, however many wait', () => {
    const sending = new Sending(0);
    sending.add(9001);
    assert.ok(sending.looks < 20, String(sending.looks));
  });

  it('is charged when SETTINGS open the windows a little', () => {
    const sending = new Sending(0);
    const { sender, streams } = sending;
    sender.changeInitialWindow(1, streams);
    sender.settingsChanged();
    assert.equal(sending.frames(), WAITING);
    assert.equal(sending.windowSteps, WAITING);
    sending.looks = 0;
    // Back and forth: each window is 0 at best, and looking at all of them is charged.
    sender.changeInitialWindow(0, streams);
    sender.changeInitialWindow(1, streams);
    sender.settingsChanged();
    assert.equal(sending.frames(), 0);
    assert.equal(sending.windowSteps, 2 * WAITING);
  });

  it('is charged when windows close again that waited for that of the connection', () => {
    const sending = new Sending(0);
    const { sender, streams } = sending;
    sender.changeInitialWindow(1000, streams);
    sender.settingsChanged(); // the connection window lets 65 through, the others wait for it
    sending.frames();
    const chargedBefore = sending.windowSteps;
    sender.changeInitialWindow(0, streams);
    sender.settingsChanged();
    sending.looks = 0;
    sender.widen(1);
    assert.equal(sending.frames(), 0);
    const charged = sending.windowSteps - chargedBefore;
    assert.ok(sending.looks <= charged * 4 + 20, `${String(sending.looks)} looks for ${String(charged)}`);
  });

  it('sends answers whose windows open wide without a charge', () => {
    const sending = new Sending(0);
    const { sender, streams } = sending;
    sender.widen(10_000_000);
    sender.changeInitialWindow(65535, streams);
    sender.settingsChanged();
    assert.equal(sending.frames(), 2 * WAITING);
    assert.equal(sending.windowSteps, 0);
  });

  it('refuses an initial window that makes one too large, and knows when that one is gone (RFC 9113 §6.9.2)', () => {
    const sending = new Sending(0);
    const { sender, streams } = sending;
    const [first, second] = streams;
    assert.ok(first && second);
    first.outgoing = null; // as if it had nothing to send: it would
    assert.equal(sender.widenStream(first, 1000), true);
    assert.equal(sender.changeInitialWindow(MAX_WINDOW_BYTES - 1000, streams), true);
    assert.equal(sender.changeInitialWindow(MAX_WINDOW_BYTES - 999, streams), false);
    sender.changeInitialWindow(0, streams);
    const others = streams.slice(1);
    const before = sending.windowSteps;
    assert.equal(sender.changeInitialWindow(MAX_WINDOW_BYTES, others), true);
    assert.ok(sending.windowSteps > before, 'looking at all of them is charged');
  });
});
