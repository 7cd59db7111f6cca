import { inspect } from 'node:util';

const MASK = '[secret]';

/**
 * A value that must never be seen by accident: it prints, inspects, concatenates and serialises as `[secret]`.
 * Only {@link Secret.reveal} gives the bytes.
 */
export class Secret {
  readonly #bytes: Buffer;
  #derivation: unknown = null;
  #derived: unknown = null;

  protected constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Wraps text as its UTF-8 bytes, the form in which App Secrets enter every signature (spec §1). */
  static fromText(text: string): Secret {
    // Memory of its own: a piece of Node's pool would keep the whole of it, 8 KiB, for as long as the secret is held.
    const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text, 'utf8'));
    bytes.write(text, 'utf8');
    return new Secret(bytes);
  }

  /** The bytes themselves. Callers keep them out of logs, errors and answers, and do not change them. */
  reveal(): Buffer {
    return this.#bytes;
  }

  /**
   * What `derivation` makes of the bytes: as secret as they are, and kept for as long. Only the latest derivation is
   * kept, so it should be the same function every time.
   */
  derive<T>(derivation: (bytes: Buffer) => T): T {
    if (this.#derivation !== derivation) {
      this.#derived = derivation(this.#bytes);
      this.#derivation = derivation;
    }
    return this.#derived as T;
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [Symbol.toPrimitive](): string {
    return MASK;
  }

  [inspect.custom](): string {
    return MASK;
  }
}
