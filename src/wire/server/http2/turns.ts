import type { Http2Limits } from './limits.ts';

/** A connection whose input waits for the next turn. */
export interface TurnTaker {
  takeTurn(): void;
}

/** Work per turn of the event loop. */
export type TurnLimits = Pick<Http2Limits, 'framesPerTurn' | 'framesOfEach'>;

/**
 * Shares the turns of the event loop among the connections of a server. A turn works on `framesPerTurn` frames; when
 * these are used up, what comes in still has `framesOfEach` of each connection, so that one with little input never
 * waits for those with much. The rest waits for turns of its own, each connection in its order. Turns are short because
 * Node.js accepts one connection in each: long ones would keep new peers out.
 */
export class Turns {
  readonly #limits: TurnLimits;
  #number = 0;
  #frames = 0;
  /** What one connection may use up. */
  #share: number;
  #isPlanned = false;
  readonly #waiting = new Set<TurnTaker>();

  constructor(limits: TurnLimits) {
    this.#limits = limits;
    this.#share = limits.framesPerTurn;
  }

  /** Of the current turn. Turns with few frames count as one. */
  get number(): number {
    return this.#number;
  }

  /** Counts frames as worked on in this turn. */
  spend(frames: number): void {
    this.#frames += frames;
    if (this.#frames > this.#limits.framesPerTurn / 2) this.#plan();
  }

  /** Whether a connection that has worked on so many frames in this turn may go on. */
  admits(framesOfConnection: number): boolean {
    const { framesPerTurn, framesOfEach } = this.#limits;
    return framesOfConnection < framesOfEach || (framesOfConnection < this.#share && this.#frames < framesPerTurn);
  }

  /** Calls the connection in a turn to come, behind those that wait already. */
  wait(taker: TurnTaker): void {
    this.#waiting.add(taker);
    this.#plan();
  }

  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setImmediate(() => {
      this.#isPlanned = false;
      this.#begin();
    });
  }

  #begin(): void {
    const { framesPerTurn } = this.#limits;
    this.#number += 1;
    this.#frames = 0;
    let left = this.#waiting.size;
    this.#share = framesPerTurn / left;
    for (const taker of this.#waiting) {
      if (left === 0 || this.#frames >= framesPerTurn) break;
      left -= 1;
      this.#waiting.delete(taker);
      taker.takeTurn();
    }
    this.#share = framesPerTurn;
    if (this.#waiting.size > 0) this.#plan();
  }
}
