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

/** So many objects that hang on an error are looked at; of one that has more, nobody knows what it holds. */
const MAX_OBJECTS = 1000;

/**
 * The error itself when no secret stands in it or in what hangs on it; otherwise an error of the same message with each
 * secret replaced. Some libraries write the whole URL or the headers into their errors, and a key may stand there.
 */
export function withoutSecrets(error: unknown, secrets: readonly string[]): unknown {
  if (!mayHold(error, secrets)) return error;
  let message = error instanceof Error ? error.message : String(error);
  for (const secret of secrets) message = message.replaceAll(secret, HIDDEN);
  const clean = new TypeError(message);
  clean.stack = `TypeError: ${message}`;
  return clean;
}

function mayHold(error: unknown, secrets: readonly string[]): boolean {
  const seen = new Set<unknown>([error]);
  for (const value of seen) {
    if (typeof value === 'string' && secrets.some((secret) => value.includes(secret))) return true;
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) continue;
    if (seen.size > MAX_OBJECTS) return true;
    for (const each of propertiesOf(value)) seen.add(each);
  }
  return false;
}

/** The values of all properties of an object itself, those that are not listed too. */
function propertiesOf(value: object): readonly unknown[] {
  try {
    return Object.getOwnPropertyNames(value).map((name) => (value as Record<string, unknown>)[name]);
  } catch {
    return [];
  }
}
