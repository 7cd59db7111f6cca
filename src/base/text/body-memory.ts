/** Where memory comes from for a body that takes the place of the received one. */
export interface BodyMemory {
  /** At least so many bytes, with any content, for as long as the answer needs them; others get them then. */
  takeMemory?(bytes: number): Buffer;
}

/** Memory that nobody else gets. */
export const ownMemory: BodyMemory = {};
