/**
 * What the value of one key must be: gives it as the model has it, or says what is wrong. By hand and without a
 * library, because credentials of MongoDB are read with fields too, on the check path.
 */
export interface Field<T> {
  (raw: unknown): T | FieldFault;
  /** What a database can check, in the words of `$jsonSchema`; absent for anything. */
  readonly schema?: Schema;
  /** The mapping that the value is, or that each item of it is. */
  readonly inside?: MappingKind<Fields>;
  /** How much of it may be written. What a store has beyond it is read. */
  readonly bound?: Bound;
}

/** How much may be written of a value that has the right form. */
export interface Bound {
  /** For those who write it, in the words of `$jsonSchema`, beside the field's own. */
  readonly schema: Schema;
  /** Why it is too much; null when it is not. `stored` is what the store has in its place, which may stay or shrink. */
  excess(value: unknown, stored: unknown): FieldFault | null;
}

/** The rules of a value in the words of MongoDB's `$jsonSchema`. */
export type Schema = Readonly<Record<string, unknown>>;

/** The keys that a mapping may have, each with what its value must be. */
export type Fields = Readonly<Record<string, Field<unknown>>>;

/** What a mapping is, for messages, and the keys it cannot do without. */
export interface MappingKind<F extends Fields> {
  /** With its article: `an endpoint`. */
  readonly what: string;
  readonly fields: F;
  readonly required: readonly (keyof F & string)[];
}

/** The schema of a mapping with these keys and no others. */
export function schemaOf({ fields, required }: MappingKind<Fields>): Schema {
  return {
    bsonType: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([key, { schema = {} }]) => [key, schema])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

/** The keys of a mapping, and of all mappings inside it. */
export function namesIn({ fields }: MappingKind<Fields>): readonly string[] {
  return Object.entries(fields).flatMap(([key, { inside }]) => [key, ...(inside === undefined ? [] : namesIn(inside))]);
}

/** Why a value is not what its field takes. */
export class FieldFault {
  /** In words that follow the name of the value and repeat nothing of it. */
  readonly message: string;
  /** What the value can be, where that is a closed list. */
  readonly choices: readonly unknown[];
  /** Whether the value is of another type, which then has to be named. */
  readonly isOtherType: boolean;
  /** The faulty values of a mapping of texts, or of a list, by their place in it. */
  readonly inside: readonly { readonly key: string | number; readonly fault: FieldFault }[];

  constructor(message: string, parts: Partial<Pick<FieldFault, 'choices' | 'isOtherType' | 'inside'>> = {}) {
    this.message = message;
    this.choices = parts.choices ?? [];
    this.isOtherType = parts.isOtherType ?? false;
    this.inside = parts.inside ?? [];
  }
}

/** The fault of what is no text. */
export const NO_TEXT = new FieldFault('must be a text', { isOtherType: true });
const noFlag = new FieldFault('must be true or false', { isOtherType: true });
const noMapping = new FieldFault('must be a mapping (key: value)', { isOtherType: true });

function fieldOf<T>(read: (raw: unknown) => T | FieldFault, schema: Schema): Field<T> {
  return Object.assign(read, { schema });
}

/** A text that passes a test; `rule` says which do. */
export function textThat(test: (text: string) => boolean, rule: string): Field<string> {
  const fault = new FieldFault(rule);
  return fieldOf((raw) => (typeof raw !== 'string' ? NO_TEXT : test(raw) ? raw : fault), { bsonType: 'string' });
}

/** A text of a form; `rule` says of which. */
export function textLike(pattern: RegExp, rule: string): Field<string> {
  return fieldOf(
    textThat((text) => pattern.test(text), rule),
    { bsonType: 'string', pattern: pattern.source },
  );
}

/** Half of a surrogate pair, which has no UTF-8 form. */
const LONE_SURROGATE = /\p{Cs}/u;

/** Any text that can be written as UTF-8. */
export const textField = textThat((text) => !LONE_SURROGATE.test(text), 'is not valid Unicode text');

/** Ids of endpoints, consumers and credentials (spec §1). */
export const ID_PATTERN = /^[a-z0-9][a-z0-9-]{0,62}$/;
/** Characters of an id. */
export const MAX_ID_CHARACTERS = 63;
/** What an id is made of, in words that follow "has" or "must be". */
export const ID_RULE = `1 to ${String(MAX_ID_CHARACTERS)} of the characters a-z, 0-9 and "-"`;

/** An id of an endpoint, consumer or credential. */
export const idField = textLike(ID_PATTERN, `must be ${ID_RULE}, and begin with a letter or digit`);

/** A boolean. */
export const flagField = fieldOf((raw) => (typeof raw === 'boolean' ? raw : noFlag), { bsonType: 'bool' });

/**
 * One of a closed list. Gives the value of the list, not the document's copy of it: where code compares it with
 * constants, or finds something by it, V8 then compares two addresses.
 */
export function choiceField<const T>(choices: readonly T[]): Field<T> {
  const fault = new FieldFault(`must be ${alternatives(choices)}`, { choices });
  const choose = (raw: unknown): T | FieldFault => {
    const at = choices.findIndex((choice) => choice === raw);
    return at < 0 ? fault : (choices[at] as T);
  };
  return fieldOf(choose, { enum: choices });
}

/** A mapping from any text to a text. */
export const textsByKeyField = fieldOf(readTextsByKey, {
  bsonType: 'object',
  additionalProperties: { bsonType: 'string' },
});
const unwritableKey = new FieldFault('has a key that is not valid Unicode text');
const keyWithNull = new FieldFault('has a key with the character U+0000, which MongoDB cannot keep');

function readTextsByKey(raw: unknown): Readonly<Record<string, string>> | FieldFault {
  if (!isMapping(raw)) return noMapping;
  const inside = Object.keys(raw).flatMap((key) => {
    const value = textField(raw[key]);
    const keyFault = key.includes('\0') ? keyWithNull : textField(key) instanceof FieldFault ? unwritableKey : null;
    const fault = keyFault ?? value;
    return fault instanceof FieldFault ? [{ key, fault }] : [];
  });
  return inside.length === 0 ? (raw as Readonly<Record<string, string>>) : new FieldFault('', { inside });
}

/** RFC 3339 §5.6. Whether the day exists is not said by the form. */
const DATE_TIME = /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
const noTime = new FieldFault(
  'must be a time with its zone, such as 2027-01-01T00:00:00Z or 2027-01-01T00:00:00+02:00',
);

/** RFC 3339 §5.6 with its zone, as seconds since the epoch; a fraction of a second is dropped. */
export const timeField: Field<number> = (raw) => {
  const [text, day] = (typeof raw === 'string' ? DATE_TIME.exec(raw) : null) ?? [];
  if (text === undefined || day === undefined) return noTime;
  const midnightMs = Date.parse(`${day}T00:00:00Z`);
  const isDay = !Number.isNaN(midnightMs) && new Date(midnightMs).toISOString().startsWith(day);
  return isDay ? Math.floor(Date.parse(text) / 1000) : noTime;
};

const noDate = new FieldFault('must be a date, such as ISODate("2027-01-01T00:00:00Z")');

/** A date of a database, as seconds since the epoch; a fraction of a second is dropped. */
export const dateField = fieldOf(
  (raw) => (raw instanceof Date && !Number.isNaN(raw.getTime()) ? Math.floor(raw.getTime() / 1000) : noDate),
  { bsonType: 'date' },
);

/** Seconds since the epoch as a date of a database. */
export function dateOf(seconds: number): Date {
  return new Date(seconds * 1000);
}

/** A whole number from `least` to `most`, both included. */
export function wholeNumberField(least: number, most: number): Field<number> {
  const fault = new FieldFault(`must be a whole number from ${String(least)} to ${String(most)}`);
  const isRight = (raw: unknown): raw is number =>
    typeof raw === 'number' && Number.isInteger(raw) && raw >= least && raw <= most;
  return fieldOf((raw) => (isRight(raw) ? raw : fault), { bsonType: 'number', minimum: least });
}

/** A value that its own reader looks at, and what a database can look at before. */
export function nestedField(schema: Schema = {}): Field<unknown> {
  return fieldOf((raw) => raw, schema);
}

/** A mapping that its own reader looks at. */
export function nestedMapping(inside: MappingKind<Fields>, schema = schemaOf(inside)): Field<unknown> {
  return Object.assign((raw: unknown) => raw, { schema, inside });
}

/** A list of mappings that its own reader looks at. */
export function nestedList(inside: MappingKind<Fields>): Field<unknown> {
  return Object.assign((raw: unknown) => raw, { schema: { bsonType: 'array', items: schemaOf(inside) }, inside });
}

/** Whether a value is a mapping, and no list or object of another kind, such as a date of a database. */
export function isMapping(raw: unknown): raw is Readonly<Record<string, unknown>> {
  return typeof raw === 'object' && raw !== null && Object.getPrototypeOf(raw) === Object.prototype;
}

/** `"a", "b" or "c"`; numbers stay as they are. */
export function alternatives(values: readonly unknown[]): string {
  const quoted = values.map((value) => (typeof value === 'string' ? JSON.stringify(value) : String(value)));
  const last = quoted.pop() ?? '';
  return quoted.length === 0 ? last : `${quoted.join(', ')} or ${last}`;
}
