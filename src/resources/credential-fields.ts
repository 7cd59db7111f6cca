import { addressListField, declareAddressList } from '../model/address-list.ts';
import { type Credential, type CredentialFields, credentialDefaults, credentialStates } from '../model/credential.ts';
import { choiceField, dateField, dateOf, type Field, timeField } from '../model/document/fields.ts';
import { type Moment, momentAhead } from '../model/document/moments.ts';
import { allowFromWords } from './allow-from.ts';
import { type Declared, declareTime } from './declared.ts';

/** How a value is written. `T` is what the model has. */
interface Written<T> {
  /** In a declarative file, and over the API. */
  readonly declared: Field<T>;
  readonly declare: (value: T) => unknown;
  /** In a database. */
  readonly stored: Field<T>;
  readonly store: (value: T) => unknown;
  /** Whether people give it as a moment, and see how far it is from now. All else is a text, or a list of texts. */
  readonly isTime: boolean;
  readonly isList: boolean;
}

/** A field of a credential: how it is written, given and shown. */
interface CredentialField<T> extends Written<T> {
  /** Whether a database has it also where it is the default; a file and the API leave it out there. */
  readonly isAlwaysStored: boolean;
  /** How a new credential gets it, over the API by its name; null where commands and forms do not set it. */
  readonly given: {
    /** As the command line has it: `--expires <time>`, and what `--help` says of it. */
    readonly flag: string;
    readonly help: string;
    /** Below the field of the form. */
    readonly hint: string;
  } | null;
  /** What it is called where a credential is shown; null where that is another place's. */
  readonly shown: {
    /** At the command line, and in the console. */
    readonly name: string;
    readonly label: string;
    /** Said where it is the default; null for nothing. */
    readonly otherwise: string | null;
  } | null;
}

const time = {
  declared: timeField,
  declare: declareTime,
  stored: dateField,
  store: dateOf,
  isTime: true,
  isList: false,
} as const satisfies Written<number>;

const MOMENT_HINT = 'Optional. A time such as 2027-01-01T00:00:00Z, or a span from now such as 90d.';

/**
 * Every field of a credential that stands by itself, in the order in which it is written: all that reads, declares,
 * stores and shows credentials, and the flags, API properties and form fields that give them, go by this table. A field
 * that is added also takes a new `SCHEMA_VERSION`.
 */
const credentialFields = {
  state: {
    declared: choiceField(credentialStates),
    stored: choiceField(credentialStates),
    isTime: false,
    isList: false,
    declare: (state) => state,
    store: (state) => state,
    isAlwaysStored: true,
    given: null,
    shown: null,
  },
  notBefore: {
    ...time,
    isAlwaysStored: false,
    given: {
      flag: '--not-before <time>',
      help: 'works from then on: 2027-01-01T00:00:00Z, or 7d from now',
      hint: MOMENT_HINT,
    },
    shown: { name: 'not before', label: 'Works from', otherwise: null },
  },
  expiresAt: {
    ...time,
    isAlwaysStored: false,
    given: {
      flag: '--expires <time>',
      help: 'works until then: 2027-01-01T00:00:00Z, or 90d from now',
      hint: MOMENT_HINT,
    },
    shown: { name: 'ends', label: 'Ends', otherwise: 'never' },
  },
  allowFrom: {
    declared: addressListField,
    stored: addressListField,
    isTime: false,
    isList: true,
    declare: declareAddressList,
    store: declareAddressList,
    isAlwaysStored: false,
    given: allowFromWords,
    shown: allowFromWords,
  },
} as const satisfies { readonly [N in keyof CredentialFields]: CredentialField<NonNullable<CredentialFields[N]>> };

type FieldName = keyof CredentialFields;
/** The fields that a new credential can be given. */
export type GivenName = { [N in FieldName]: (typeof credentialFields)[N]['given'] extends null ? never : N }[FieldName];

const names = Object.keys(credentialFields) as readonly FieldName[];

/** The row of a field, for what holds of every field. */
function rowOf(name: FieldName): CredentialField<unknown> {
  return credentialFields[name] as CredentialField<unknown>;
}

/** What each field must be in a declarative file. */
export const declaredFields = Object.fromEntries(names.map((name) => [name, rowOf(name).declared])) as {
  readonly [N in FieldName]: (typeof credentialFields)[N]['declared'];
};

/** What each field must be in a database. */
export const storedFields = Object.fromEntries(names.map((name) => [name, rowOf(name).stored])) as {
  readonly [N in FieldName]: (typeof credentialFields)[N]['stored'];
};

/** The fields that every credential of a database has. */
export const alwaysStored = names.filter((name) => rowOf(name).isAlwaysStored);

/** The fields of a credential, without all else. */
export function pickFields(credential: CredentialFields): CredentialFields {
  return Object.fromEntries(names.map((name) => [name, credential[name]])) as unknown as CredentialFields;
}

/** The fields as a declarative file has them; defaults are left out. */
export function declareFields(credential: CredentialFields): Declared {
  return written(credential, ({ declare }) => declare, []);
}

/** The fields as a database has them. */
export function storeFields(credential: CredentialFields): Declared {
  return written(credential, ({ store }) => store, alwaysStored);
}

function written(
  credential: CredentialFields,
  writerOf: (row: CredentialField<unknown>) => (value: unknown) => unknown,
  always: readonly FieldName[],
): Declared {
  const kept = names.filter((name) => always.includes(name) || credential[name] !== credentialDefaults[name]);
  return Object.fromEntries(kept.map((name) => [name, writerOf(rowOf(name))(credential[name])]));
}

/** What commands, API and forms can give a new credential. */
export const givenFields = names.flatMap((name) => {
  const { given, shown, declared, isTime, isList } = rowOf(name);
  if (given === null) return [];
  const { flag, help, hint } = given;
  return [{ name: name as GivenName, label: shown?.label ?? name, declared, isTime, isList, flag, help, hint }];
});

/** What was given, as a declarative file has it: a moment as the time that it is, all else as it is. */
export function declareGiven(given: Readonly<Record<string, unknown>>, nowSeconds: number): Declared {
  const declare = (value: unknown): unknown =>
    typeof value === 'string' || Array.isArray(value) ? value : declareTime(momentAhead(value as Moment, nowSeconds));
  return Object.fromEntries(
    givenFields.flatMap(({ name }) => (given[name] === undefined ? [] : [[name, declare(given[name])]])),
  );
}

/** The fields of a credential that are shown by themselves, as the API names them. */
export type ShownName = FieldName;

/** What is shown of a credential beside its state. `valueIn` gives a text or seconds since the epoch; null for none. */
export const shownFields = names.flatMap((key) => {
  const { shown, isTime } = rowOf(key);
  const valueIn = (credential: Credential): string | number | null => {
    const value = credential[key];
    if (value === credentialDefaults[key]) return null;
    return typeof value === 'object' && value !== null ? declareAddressList(value).join(', ') : value;
  };
  return shown === null ? [] : [{ key, isTime, valueIn, ...shown }];
});
