import { Calls, type CallsHost } from './calls.ts';
import { noTable } from './answer-block.ts';
import type { Conduct } from './conduct.ts';
import { ANSWER_EARNS, FloodGuard } from '../../http2/flood-guard.ts';
import { CLIENT_PREFACE, type ErrorCode, errorCode, MAX_STREAM_ID } from '../../http2/frame.ts';
import { FrameReader } from '../../http2/frame-reader.ts';
import { FrameWriter } from '../../http2/frame-writer.ts';
import { DRAIN_PING, IncomingFrames } from './incoming-frames.ts';
import type { MemoryPoolName } from '../transport.ts';
import type { ServerContext } from './server-context.ts';
import type { TurnTaker } from './turns.ts';
import type { UnsentShare } from './unsent-bytes.ts';
import type { Wire } from '../../http2/socket-wire.ts';

/**
 * The server's side of one HTTP/2 connection (RFC 9113) that carries gRPC calls: bytes in through {@link receive},
 * bytes out through a {@link Wire}. It keeps what the protocol asks of a server, closes on every breach, and works
 * in proportion to what it is sent.
 */
export class Connection implements Conduct, CallsHost, TurnTaker {
  /** The time of the last input or event. */
  nowMs: number;
  readonly #context: ServerContext;
  readonly #wire: Wire;
  readonly #peer: string;
  readonly #reader = new FrameReader(CLIENT_PREFACE);
  readonly #writer: FrameWriter;
  readonly #calls: Calls;
  readonly #frames: IncomingFrames;
  readonly #flood: FloodGuard;
  readonly #unsent: UnsentShare;
  readonly #openedAtMs: number;
  #servedAtMs: number | null = null;
  #reading = false;
  /** Frames worked on in this turn. */
  #turnFrames = 0;
  #turn = 0;
  /** Input that waits for the next turn. */
  readonly #backlog: Buffer[] = [];
  #flushPlanned = false;
  #turnFlushPlanned = false;
  /** See {@link giveBackOnceSent}. */
  #spent: Buffer[] = [];
  #paused = false;
  #pausedAtMs = 0;
  #drain: 'no' | 'announced' | 'final' = 'no';
  #over = false;

  /** @param peer its address, for people. */
  constructor(context: ServerContext, wire: Wire, peer: string) {
    this.#context = context;
    this.#wire = wire;
    this.#peer = peer;
    this.nowMs = context.clock.nowMs();
    this.#openedAtMs = this.nowMs;
    this.#writer = new FrameWriter(wire, noTable);
    this.#calls = new Calls(context, this.#writer, this);
    this.#frames = new IncomingFrames(context, this.#writer, this.#calls, this);
    this.#flood = new FloodGuard(context.limits, this.nowMs);
    this.#unsent = context.unsent.share(wire, () => {
      context.connectionObserver?.connectionEnded('unread', peer);
      this.#drop();
    });
  }

  /** Calls whose answers are not complete. */
  get openCalls(): number {
    return this.#calls.table.size;
  }

  /** Whether a method works on a call of it. */
  get isWorking(): boolean {
    return this.#calls.table.running > 0;
  }

  /** When the last call was answered; null when none was. */
  get servedAtMs(): number | null {
    return this.#servedAtMs;
  }

  get writable(): boolean {
    return !this.#paused && this.#writer.bufferedBytes <= this.#pauseAboveBytes;
  }

  /** For the turns: works on input that was left over. */
  takeTurn(): void {
    this.#enterTurn();
    while (!this.#over && !this.#paused) {
      if (!this.#context.turns.admits(this.#turnFrames)) {
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

  /** For the frames. */
  get over(): boolean {
    return this.#over;
  }

  /** For the frames. */
  get closing(): boolean {
    return this.#drain === 'final';
  }

  /**
   * Bytes have come. They are the caller's again when this returns.
   *
   * @param isFollowed whether more follows in this turn of the event loop, probably. A little to be sent waits for it, at
   *   the latest until the end of the turn: one write then does for all.
   */
  receive(input: Buffer, isFollowed = false): void {
    if (this.#over) return;
    this.#flood.received(input.length);
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
    this.#unsent.clear();
    this.#giveBack();
    if (this.#over || !this.#paused) return;
    this.nowMs = this.#context.clock.nowMs();
    this.#paused = false;
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
    this.#unsent.clear();
    if (this.#over) return;
    this.#over = true;
    this.#calls.dropAll();
  }

  /**
   * Ends the connection without losing a call (RFC 9113 §6.8): first a GOAWAY that refuses nothing, and once the peer
   * has seen it, or {@link finishDrain} is called, the one that counts; then the running calls; then the end.
   */
  drain(): void {
    if (this.#over || this.#drain !== 'no') return;
    if (!this.#frames.introduced) {
      this.#end();
      return;
    }
    this.#drain = 'announced';
    this.#writer.goaway(MAX_STREAM_ID, errorCode.noError, 'draining');
    this.#writer.ping(DRAIN_PING, 0, false);
    this.#calls.stop();
    this.#flush();
  }

  /** Does not wait longer for the peer to have seen {@link drain}'s first GOAWAY. */
  finishDrain(): void {
    if (this.#over || this.#drain !== 'announced') return;
    this.#drain = 'final';
    this.#writer.goaway(this.#calls.table.lastId, errorCode.noError, 'draining');
    this.#flush();
    this.#endWhenIdle();
  }

  /** Cuts what makes no progress. To be called every few seconds. */
  sweep(): void {
    if (this.#over) return;
    this.nowMs = this.#context.clock.nowMs();
    const { receiveStallMs, sendStallMs } = this.#context.limits;
    const sinceMs = this.#frames.unfinishedSinceMs ?? (this.#frames.introduced ? this.nowMs : this.#openedAtMs);
    if (this.nowMs - sinceMs > receiveStallMs) {
      this.#cut('the peer did not finish a preface, header block or message in time');
    } else if (this.#paused && this.nowMs - this.#pausedAtMs > sendStallMs) {
      this.#cut('the peer does not read what it is sent');
    } else {
      this.#calls.sweep(this.nowMs);
      this.#flush();
    }
  }

  /** For the calls: something was written outside {@link receive}; what comes in the same turn goes with it. */
  wrote(): void {
    if (this.#reading || this.#flushPlanned || this.#over) return;
    this.#flushPlanned = true;
    queueMicrotask(() => {
      this.#flushPlanned = false;
      this.#flush();
    });
  }

  /** For the frames. */
  frameDone(frames: number): boolean {
    const { turns } = this.#context;
    this.#turnFrames += frames;
    turns.spend(frames);
    return !this.#over && turns.admits(this.#turnFrames);
  }

  /** For the frames. */
  sawDrain(): void {
    this.finishDrain();
  }

  /** For the calls. */
  answered(): void {
    this.#servedAtMs = this.nowMs;
    this.#flood.earn(ANSWER_EARNS);
  }

  /** For the frames. */
  spend(tokens: number): boolean {
    return (
      this.#flood.spend(tokens, this.nowMs) ||
      this.breach(errorCode.enhanceYourCalm, 'too many frames that bring no call')
    );
  }

  /** For the calls. */
  lacksMemory(pool: MemoryPoolName): void {
    this.#context.observer.memoryRefused(pool, this.#peer);
  }

  /** For the calls. */
  giveBackOnceSent(memory: Buffer): void {
    this.#spent.push(memory);
  }

  /** For the calls. */
  spendWindowSteps(steps: number): boolean {
    return (
      this.#flood.spendWindowSteps(steps) ||
      this.breach(errorCode.enhanceYourCalm, 'the windows ask for more work than the peer has sent')
    );
  }

  /** For the frames: a connection error (RFC 9113 §5.4.1). */
  breach(code: ErrorCode, reason: string): false {
    if (this.#over) return false;
    if (this.#frames.introduced) this.#writer.goaway(this.#calls.table.lastId, code, reason);
    this.#context.observer.connectionRefused(reason, this.#peer);
    this.#end();
    return false;
  }

  /** Works on input until it ends or the turn does. @returns how far it was read. */
  #work(input: Buffer, isFollowed: boolean): number {
    this.nowMs = this.#context.clock.nowMs();
    this.#enterTurn();
    this.#reading = true;
    const problem = this.#reader.push(input, this.#frames);
    if (problem !== null) this.breach(problem.code, problem.reason);
    this.#calls.settle();
    this.#reading = false;
    const readTo = this.#over ? input.length : this.#reader.readTo;
    if (isFollowed && readTo === input.length && this.#isLittleBuffered) this.#flushThisTurn();
    else this.#flush();
    return readTo;
  }

  /** Whether so little is to be sent that it need not count as unsent yet. */
  get #isLittleBuffered(): boolean {
    const { bufferedBytes } = this.#writer;
    return bufferedBytes > 0 && bufferedBytes <= this.#context.limits.pauseEarlyAboveBytes;
  }

  /** Leaves the sending to the next read of this turn, or to the end of the turn. */
  #flushThisTurn(): void {
    if (this.#turnFlushPlanned) return;
    this.#turnFlushPlanned = true;
    setImmediate(() => {
      this.#turnFlushPlanned = false;
      this.#flush();
    });
  }

  #enterTurn(): void {
    const { number } = this.#context.turns;
    if (this.#turn === number) return;
    this.#turn = number;
    this.#turnFrames = 0;
  }

  /** For peers that do not react. */
  #cut(reason: string): void {
    this.#context.observer.connectionRefused(reason, this.#peer);
    this.#unsent.clear();
    this.#drop();
  }

  #drop(): void {
    this.#over = true;
    this.#wire.destroy();
    this.#calls.dropAll();
  }

  #end(): void {
    this.#over = true;
    this.#send();
    this.#wire.end();
    this.#calls.dropAll();
  }

  #endWhenIdle(): void {
    if (!this.#over && this.#drain === 'final' && this.#calls.table.size === 0) this.#end();
  }

  get #pauseAboveBytes(): number {
    const { limits, unsent } = this.#context;
    return unsent.isFull ? limits.pauseEarlyAboveBytes : limits.pauseAboveBytes;
  }

  #send(): void {
    const { bufferedBytes } = this.#writer;
    this.#writer.flush();
    this.#unsent.wrote(bufferedBytes);
  }

  /** Sends what was written, and stops reading from a peer that does not read. */
  #flush(): void {
    while (!this.#over && this.#writer.bufferedBytes > 0) {
      this.#send();
      this.#context.unsent.makeRoom();
      if (!this.#paused && this.#wire.unsentBytes > this.#pauseAboveBytes) {
        this.#paused = true;
        this.#pausedAtMs = this.nowMs;
        this.#wire.pause();
      }
      if (!this.#paused) this.#calls.sender.pump();
    }
    this.#giveBack();
    this.#endWhenIdle();
  }

  /** What was given to the wire may still be read from memory: of a wire that is gone, too, so that is left alone. */
  #giveBack(): void {
    if (this.#spent.length === 0 || this.#over) return;
    if (this.#writer.bufferedBytes > 0 || this.#wire.unsentBytes > 0) return;
    for (const memory of this.#spent.splice(0)) this.#context.largeBuffers.give(memory);
  }
}
