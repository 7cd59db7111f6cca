/** The demo cannot go on. The message says what is wrong and what to do; it is meant for people. */
export class DemoFailure extends Error {
  override readonly name = 'DemoFailure';
}

/** The demo was stopped from outside; no fault of it. */
export class DemoInterrupted extends Error {
  override readonly name = 'DemoInterrupted';

  constructor() {
    super('interrupted');
  }
}
