import { Calls } from './calls.ts';
import { Conduct } from './conduct.ts';
import { CLIENT_PREFACE, type ErrorCode, errorCode, MAX_STREAM_ID } from '../../http2/frame.ts';
import { FrameReader } from '../../http2/frame-reader.ts';
import { DRAIN_PING, IncomingFrames } from './incoming-frames.ts';
import { Output } from './output.ts';
import type { ServerContext } from './server-context.ts';
import type { TurnTaker } from './turns.ts';
import type { Wire } from '../../http2/socket-wire.ts';

/**
 * The server's side of one HTTP/2 connection (RFC 9113) that carries gRPC calls: bytes in through {@link receive},
 * bytes out through a {@link Wire}. It keeps what the protocol asks of a server, closes on every breach, and works
 * in proportion to what it is sent.
 *
 * Input goes through the reader to the frames, and from them to the calls, whose answers go through the output to the
 * wire. Each of these parts knows those before it in the constructor; the conduct judges the peer for all of them.
 */
export class Connection implements TurnTaker {
  readonly #context: ServerContext;
  readonly #wire: Wire;
  readonly #peer: string;
  readonly #conduct: Conduct;
  readonly #output: Output;
  readonly #calls: Calls;
  readonly #frames: IncomingFrames;
  readonly #reader = new FrameReader(CLIENT_PREFACE);
  readonly #openedAtMs: number;
  /** Input that waits for the next turn. */
  readonly #backlog: Buffer[] = [];
  #drain: 'no' | 'announced' | 'final' = 'no';

  /** @param peer its address, for people. */
  constructor(context: ServerContext, wire: Wire, peer: string) {
    this.#context = context;
    this.#wire = wire;
    this.#peer = peer;
    this.#conduct = new Conduct(context, peer, {
      breached: (code, reason) => {
        this.#refuse(code, reason);
      },
      sawDrain: () => {
        this.finishDrain();
      },
    });
    this.#output = new Output(context, wire, this.#conduct, {
      flush: () => {
        this.#flush();
      },
      unread: () => {
        context.connectionObserver?.connectionEnded('unread', peer);
        this.#drop();
      },
    });
    this.#calls = new Calls(context, this.#output, this.#conduct);
    this.#frames = new IncomingFrames(context, this.#output.writer, this.#calls, this.#conduct);
    this.#openedAtMs = this.#conduct.nowMs;
  }

  /** Calls whose answers are not complete. */
  get openCalls(): number {
    return this.#calls.table.size;
  }

  /** Whether a method works on a call of it. */
  get isWorking(): boolean {
    return this.#calls.table.running > 0;
  }

  /** When the last call was answered, in milliseconds since the epoch; null when none was. */
  get servedAtMs(): number | null {
    return this.#calls.answeredAtMs;
  }

  /** For the turns: works on input that was left over. */
  takeTurn(): void {
    this.#conduct.enterTurn();
    while (!this.#conduct.over && this.#output.pausedAtMs === null) {
      if (!this.#conduct.hasTurn) {
        this.#context.turns.wait(this);
        return;
      }
      const input = this.#backlog.shift();
      if (input === undefined) {
        this.#wire.resume();
        return;
      }
      const readTo = this.#work(input, false);
      if (readTo < input.length) this.#backlog.unshift(input.subarray(readTo));
    }
  }

  /**
   * Bytes have come. They are the caller's again when this returns.
   *
   * @param isFollowed whether more follows in this turn of the event loop, probably. A little to be sent waits for it,
   *   at the latest until the end of the turn: one write then does for all.
   */
  receive(input: Buffer, isFollowed = false): void {
    if (this.#conduct.over) return;
    this.#conduct.received(input.length);
    // With a backlog, it was on its way when the wire was paused.
    const readTo = this.#backlog.length > 0 ? 0 : this.#work(input, isFollowed);
    if (readTo === input.length) return;
    this.#backlog.push(Buffer.from(input.subarray(readTo)));
    if (this.#backlog.length > 1) return;
    this.#wire.pause();
    this.#context.turns.wait(this);
  }

  /** Everything given to the wire has left. */
  drained(): void {
    if (!this.#output.drained()) return;
    this.#conduct.tick();
    if (this.#backlog.length === 0) this.#wire.resume();
    else this.#context.turns.wait(this);
    this.#calls.sender.pump();
    this.#flush();
  }

  /** The peer sends nothing more: nothing waits for it any longer. */
  inputEnded(): void {
    this.#flush();
  }

  /** The wire is gone. */
  lost(): void {
    this.#output.lost();
    if (this.#conduct.over) return;
    this.#conduct.over = true;
    this.#calls.dropAll();
  }

  /**
   * Ends the connection without losing a call (RFC 9113 §6.8): first a GOAWAY that refuses nothing, and once the peer
   * has seen it, or {@link finishDrain} is called, the one that counts; then the running calls; then the end.
   */
  drain(): void {
    if (this.#conduct.over || this.#drain !== 'no') return;
    if (!this.#frames.introduced) {
      this.#end();
      return;
    }
    const { writer } = this.#output;
    this.#drain = 'announced';
    writer.goaway(MAX_STREAM_ID, errorCode.noError, 'draining');
    writer.ping(DRAIN_PING, 0, false);
    this.#calls.stop();
    this.#flush();
  }

  /** Does not wait longer for the peer to have seen {@link drain}'s first GOAWAY. */
  finishDrain(): void {
    if (this.#conduct.over || this.#drain !== 'announced') return;
    this.#drain = 'final';
    this.#conduct.closing = true;
    this.#output.writer.goaway(this.#calls.table.lastId, errorCode.noError, 'draining');
    this.#flush();
    this.#endWhenIdle();
  }

  /** Cuts what makes no progress. To be called every few seconds. */
  sweep(): void {
    if (this.#conduct.over) return;
    this.#conduct.tick();
    const { nowMs } = this.#conduct;
    const { receiveStallMs, sendStallMs } = this.#context.limits;
    const sinceMs = this.#frames.unfinishedSinceMs ?? (this.#frames.introduced ? nowMs : this.#openedAtMs);
    if (nowMs - sinceMs > receiveStallMs) {
      this.#cut('the peer did not finish a preface, header block or message in time');
    } else if (nowMs - (this.#output.pausedAtMs ?? nowMs) > sendStallMs) {
      this.#cut('the peer does not read what it is sent');
    } else {
      this.#calls.sweep(nowMs);
      this.#flush();
    }
  }

  /** Works on input until it ends or the turn does. @returns how far it was read. */
  #work(input: Buffer, isFollowed: boolean): number {
    this.#conduct.tick();
    this.#conduct.enterTurn();
    this.#output.hold();
    const problem = this.#reader.push(input, this.#frames);
    if (problem !== null) this.#conduct.breach(problem.code, problem.reason);
    this.#calls.settle();
    this.#output.release();
    const readTo = this.#conduct.over ? input.length : this.#reader.readTo;
    if (isFollowed && readTo === input.length && this.#output.isLittleBuffered) this.#output.flushThisTurn();
    else this.#flush();
    return readTo;
  }

  /** Sends what was written, and what this lets go on. */
  #flush(): void {
    const { writer } = this.#output;
    while (!this.#conduct.over && writer.bufferedBytes > 0) {
      if (this.#output.sendOrPause()) this.#calls.sender.pump();
    }
    this.#output.giveBack();
    this.#endWhenIdle();
  }

  /** For a breach of the protocol: tells the peer, and ends. */
  #refuse(code: ErrorCode, reason: string): void {
    if (this.#frames.introduced) this.#output.writer.goaway(this.#calls.table.lastId, code, reason);
    this.#context.observer.connectionRefused(reason, this.#peer);
    this.#end();
  }

  /** For peers that do not react. */
  #cut(reason: string): void {
    this.#context.observer.connectionRefused(reason, this.#peer);
    this.#output.lost();
    this.#drop();
  }

  #drop(): void {
    this.#conduct.over = true;
    this.#wire.destroy();
    this.#calls.dropAll();
  }

  #end(): void {
    this.#conduct.over = true;
    this.#output.send();
    this.#wire.end();
    this.#calls.dropAll();
  }

  #endWhenIdle(): void {
    if (!this.#conduct.over && this.#drain === 'final' && this.#calls.table.size === 0) this.#end();
  }
}
