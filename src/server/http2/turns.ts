import type { Http2Limits } from './limits.ts';

/** A connection whose input waits for the next turn. */
export interface TurnTaker {
  takeTurn(): void;
}

/** Work per turn of the event loop. */
export type TurnLimits = Pick<Http2Limits, 'framesPerTurn' | 'framesOfEach'>;

/**
 * Shares each turn of the event loop among the connections of a server. All together work on `framesPerTurn` frames in
 * one turn; when these are used up, each connection still gets `framesOfEach`, so that one with little input never waits
 * for those with much. What is left over waits for the next turn, in the order in which it began to wait.
 */
export class Turns {
  readonly #limits: TurnLimits;
  #number = 0;
  #frames = 0;
  #isPlanned = false;
  #waiting = new Set<TurnTaker>();

  constructor(limits: TurnLimits) {
    this.#limits = limits;
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
    return this.#frames < this.#limits.framesPerTurn || framesOfConnection < this.#limits.framesOfEach;
  }

  /** Calls the connection in the next turn. */
  wait(taker: TurnTaker): void {
    this.#waiting.add(taker);
    this.#plan();
  }

  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setImmediate(() => {
      this.#isPlanned = false;
      this.#number += 1;
      this.#frames = 0;
      const waiting = this.#waiting;
      this.#waiting = new Set();
      for (const taker of waiting) taker.takeTurn();
    });
  }
}
