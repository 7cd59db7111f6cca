import { type DocumentFault, describeId, type Mapped, type RawDocument } from './document-fault.ts';

/**
 * Takes a document apart by hand, because that is done for every look-up. The first problem is kept; from then on the
 * values given are of the right type and mean nothing, until {@link DocumentReader.finish} gives the fault.
 */
export class DocumentReader {
  readonly #collection: string;
  readonly #id: unknown;
  readonly #values: RawDocument;
  readonly #prefix: string;
  #fault: DocumentFault | null = null;

  constructor(collection: string, values: RawDocument, prefix = '', id: unknown = values['_id']) {
    this.#collection = collection;
    this.#values = values;
    this.#prefix = prefix;
    this.#id = id;
  }

  /** What was read, or the first fault. */
  finish<T>(value: T): Mapped<T> {
    return this.#fault === null ? { value } : { fault: this.#fault };
  }

  get isFaulty(): boolean {
    return this.#fault !== null;
  }

  /** Notes what is wrong with a field; the words follow its name and hold nothing of its value. */
  fail(field: string, problem: string, kind: DocumentFault['kind'] = 'malformed'): void {
    const path = field === '' ? this.#prefix.replace(/\.$/, '') : `${this.#prefix}${field}`;
    this.#fault ??= { collection: this.#collection, id: describeId(this.#id), field: path, problem, kind };
  }

  has(field: string): boolean {
    return this.#values[field] !== undefined;
  }

  /** The value as it is. */
  raw(field: string): unknown {
    return this.#values[field];
  }

  /** A field that this version does not know may restrict what the others give: such a document says nothing. */
  onlyFields(known: ReadonlySet<string>): void {
    for (const field of Object.keys(this.#values)) if (!known.has(field)) this.fail(field, 'is not a known field');
  }

  text(field: string, rule: TextRule): string {
    const value = this.#values[field];
    if (typeof value === 'string' && rule.test(value)) return value;
    this.fail(field, value === undefined ? 'is missing' : `must be ${rule.words}`);
    return '';
  }

  optionalText(field: string, rule: TextRule): string | null {
    return this.has(field) ? this.text(field, rule) : null;
  }

  flag(field: string): boolean {
    const value = this.#values[field];
    if (typeof value === 'boolean') return value;
    this.fail(field, value === undefined ? 'is missing' : 'must be true or false');
    return false;
  }

  wholeNumber(field: string, least: number, most: number): number {
    const value = this.#values[field];
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
    const words = `must be a whole number from ${String(least)} to ${String(most)}`;
    this.fail(field, value === undefined ? 'is missing' : words);
    return least;
  }

  /** One of a list of words. */
  choice<const T extends string>(field: string, choices: readonly T[]): T | null {
    const value = this.#values[field];
    const found = choices.find((choice) => choice === value) ?? null;
    if (found === null) this.fail(field, value === undefined ? 'is missing' : `must be one of ${choices.join(', ')}`);
    return found;
  }

  /** A BSON date, as whole seconds since the epoch, rounded down. */
  time(field: string): number {
    const value = this.#values[field];
    const ms = value instanceof Date ? value.getTime() : Number.NaN;
    if (!Number.isNaN(ms)) return Math.floor(ms / 1000);
    this.fail(field, value === undefined ? 'is missing' : 'must be a date, such as ISODate("2027-01-01T00:00:00Z")');
    return 0;
  }

  optionalTime(field: string): number | null {
    return this.has(field) ? this.time(field) : null;
  }

  /** A list, as it is; empty when it is none. */
  list(field: string): readonly unknown[] {
    const value = this.#values[field];
    if (Array.isArray(value)) return value as readonly unknown[];
    this.fail(field, value === undefined ? 'is missing' : 'must be a list');
    return [];
  }

  /** A reader of a document inside this one, which must have these fields only; what it finds wrong is told here. */
  nested<T>(field: string, value: unknown, read: (reader: DocumentReader) => T): T | null {
    if (!isPlainDocument(value)) {
      this.fail(field, value === undefined ? 'is missing' : 'must be a document { … }');
      return null;
    }
    const reader = new DocumentReader(this.#collection, value, `${this.#prefix}${field}.`, this.#id);
    const mapped = reader.finish(read(reader));
    const fault = reader.#fault;
    if (fault !== null) {
      this.#fault ??= fault;
      return null;
    }
    return 'value' in mapped ? mapped.value : null;
  }
}

/** Which texts a field takes, in words that follow "must be". */
export interface TextRule {
  readonly test: (text: string) => boolean;
  readonly words: string;
}

/** Whether a value is a document, and no list, date, ObjectId or other value of BSON. */
export function isPlainDocument(value: unknown): value is RawDocument {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
