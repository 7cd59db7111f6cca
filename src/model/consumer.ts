import { type Field, FieldFault, flagField, idField, textField, textsByKeyField } from '../document/fields.ts';
import type { Labels } from './labels.ts';

/** A partner who calls (spec §1). */
export interface Consumer {
  /** `^[a-z0-9][a-z0-9-]{0,62}$` */
  readonly id: string;
  /** What upstream sees as `X-Consumer-Username`; null when the id stands for it. */
  readonly name: string | null;
  readonly description: string;
  readonly labels: Labels;
  /** A disabled consumer is refused like an unknown one. */
  readonly enabled: boolean;
}

/** What a consumer is of whom no more is said than the id. */
export const consumerDefaults: Omit<Consumer, 'id'> = { name: null, description: '', labels: {}, enabled: true };

/** What goes into a request header as the consumer's name is bounded. */
const MAX_NAME_LENGTH = 256;
const noName = new FieldFault(`must hold 1 to ${String(MAX_NAME_LENGTH)} characters that are not all blanks`);
const nameField: Field<string> = Object.assign(
  (raw: unknown) => {
    const text = textField(raw);
    return text instanceof FieldFault || (text.trim() !== '' && text.length <= MAX_NAME_LENGTH) ? text : noName;
  },
  { schema: { bsonType: 'string' } },
);

/** What each field of a consumer must be, wherever it is written, in the order in which it is. */
export const consumerFields = {
  id: idField,
  name: nameField,
  description: textField,
  labels: textsByKeyField,
  enabled: flagField,
} as const satisfies { readonly [N in keyof Consumer]: Field<NonNullable<Consumer[N]>> };
