/** What stands for a secret wherever one would be printed. */
export const HIDDEN = '[secret]';

/** The name of the method by which Node prints an object; a symbol of the global registry, so no import is needed. */
export const inspectMethod: unique symbol = Symbol.for('nodejs.util.inspect.custom') as never;

/** Holds a text that is printed, inspected and serialised as `[secret]`. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The text itself. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }

  [inspectMethod](): string {
    return HIDDEN;
  }
}

const MAX_CAUSES = 8;

/**
 * The error itself when no secret stands in it; otherwise an error of the same message with each secret replaced. Some
 * libraries write the whole URL into their errors, and a key may stand there.
 */
export function withoutSecrets(error: unknown, secrets: readonly string[]): unknown {
  const found = secrets.filter((secret) => secret !== '');
  if (!found.some((secret) => holds(error, secret, 0))) return error;
  let message = error instanceof Error ? error.message : String(error);
  for (const secret of found) message = message.replaceAll(secret, HIDDEN);
  const clean = new TypeError(message);
  clean.stack = `TypeError: ${message}`;
  return clean;
}

function holds(value: unknown, secret: string, depth: number): boolean {
  if (typeof value === 'string') return value.includes(secret);
  if (typeof value !== 'object' || value === null || depth > MAX_CAUSES) return false;
  return Object.getOwnPropertyNames(value).some((name) =>
    holds((value as Record<string, unknown>)[name], secret, depth + 1),
  );
}
