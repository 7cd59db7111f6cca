import { type AddressList, addressListField } from './address-list.ts';
import { bounded, isLongerThan, textBound } from './document/bounds.ts';
import { type Field, FieldFault, flagField, idField, textField } from './document/fields.ts';
import { MAX_DESCRIPTION_CHARACTERS, MAX_EMAIL_CHARACTERS, MAX_NAME_CHARACTERS } from './bounds.ts';
import type { Labels } from './labels.ts';
import { labelsField } from './labels-field.ts';

/** A partner who calls (spec §1). */
export interface Consumer {
  /** `^[a-z0-9][a-z0-9-]{0,62}$` */
  readonly id: string;
  /** What upstream sees as `X-Consumer-Username`; null when the id stands for it. */
  readonly name: string | null;
  readonly description: string;
  /** Whom to write to, for operators; null for nobody. */
  readonly email: string | null;
  /** Who looks after it, for operators; null for nobody. */
  readonly team: string | null;
  readonly labels: Labels;
  /** A disabled consumer is refused like an unknown one. */
  readonly enabled: boolean;
  /** Where its callers may come from; null for anywhere. */
  readonly allowFrom: AddressList | null;
}

/** What a consumer is of whom no more is said than the id. */
export const consumerDefaults: Omit<Consumer, 'id'> = {
  name: null,
  description: '',
  email: null,
  team: null,
  labels: {},
  enabled: true,
  allowFrom: null,
};

const noName = new FieldFault(`must hold 1 to ${String(MAX_NAME_CHARACTERS)} characters that are not all blanks`);
/** It goes into a request header: one that is longer is refused wherever it is kept. */
const nameField: Field<string> = Object.assign(
  (raw: unknown) => {
    const text = textField(raw);
    if (text instanceof FieldFault) return text;
    return text.trim() !== '' && !isLongerThan(text, MAX_NAME_CHARACTERS) ? text : noName;
  },
  {
    schema: { bsonType: 'string' },
    bound: { schema: { minLength: 1, maxLength: MAX_NAME_CHARACTERS }, excess: () => null },
  },
);

/** One @ with something on both sides, and no blanks: whether mail arrives, only mail tells. */
const EMAIL = /^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u;
const emailField = bounded(
  textWith((text) => EMAIL.test(text), new FieldFault('must be an e-mail address, such as api@partner.example')),
  textBound(MAX_EMAIL_CHARACTERS),
);
const teamField = bounded(
  textWith((text) => text.trim() !== '', new FieldFault('must hold characters that are not all blanks')),
  textBound(MAX_NAME_CHARACTERS),
);

/** A text of which more must hold. */
function textWith(holds: (text: string) => boolean, fault: FieldFault): Field<string> {
  const read = (raw: unknown): string | FieldFault => {
    const text = textField(raw);
    return text instanceof FieldFault || holds(text) ? text : fault;
  };
  return Object.assign(read, { schema: { bsonType: 'string' } });
}

/** What each field of a consumer must be, wherever it is written, in the order in which it is. */
export const consumerFields = {
  id: idField,
  name: nameField,
  description: bounded(textField, textBound(MAX_DESCRIPTION_CHARACTERS)),
  email: emailField,
  team: teamField,
  labels: labelsField,
  enabled: flagField,
  allowFrom: addressListField,
} as const satisfies { readonly [N in keyof Consumer]: Field<NonNullable<Consumer[N]>> };
