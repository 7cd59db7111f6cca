import { randomFillSync } from 'node:crypto';

/** So many are made at once: a call of the system's source for each takes a twentieth of the CPU time of a token. */
const BATCH = 128;

/** Makes ids of random bytes in base64url. No byte is used twice, and none is kept once it was used. */
export class RandomIds {
  readonly #idBytes: number;
  readonly #bytes: Buffer;
  #at: number;

  constructor(idBytes: number) {
    this.#idBytes = idBytes;
    this.#bytes = Buffer.allocUnsafeSlow(idBytes * BATCH);
    this.#at = this.#bytes.length;
  }

  next(): string {
    if (this.#at === this.#bytes.length) {
      randomFillSync(this.#bytes);
      this.#at = 0;
    }
    const end = this.#at + this.#idBytes;
    const id = this.#bytes.toString('base64url', this.#at, end);
    this.#bytes.fill(0, this.#at, end);
    this.#at = end;
    return id;
  }
}
