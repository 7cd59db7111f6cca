import {
  type Field,
  FieldFault,
  flagField,
  idField,
  nestedField,
  textField,
  textsByKeyField,
} from '../document/fields.ts';
import type { Place, ProblemLog } from '../document/problem-log.ts';
import { readMapping } from '../document/read-mapping.ts';
import type { Consumer } from '../model/consumer.ts';
import { type Declared, withoutDefaults } from './declared.ts';

/** What goes into a request header as the consumer's name is bounded. */
const MAX_NAME_LENGTH = 256;
const noName = new FieldFault(`must hold 1 to ${String(MAX_NAME_LENGTH)} characters that are not all blanks`);
const nameField: Field<string> = (raw) => {
  const text = textField(raw);
  return text instanceof FieldFault || (text.trim() !== '' && text.length <= MAX_NAME_LENGTH) ? text : noName;
};

const fields = { id: idField, name: nameField, description: textField, labels: textsByKeyField, enabled: flagField };

/** Where a consumer is written: a database has its credentials elsewhere, and says of every consumer whether it is enabled. */
const kinds = {
  declared: { what: 'a consumer', fields: { ...fields, credentials: nestedField }, required: ['id'] },
  stored: { what: 'a consumer', fields, required: ['id', 'enabled'] },
} as const;

/** Reads a consumer (spec §1), of a declarative file without its credentials; null when a problem was reported. */
export function readConsumer(
  raw: unknown,
  place: Place,
  problems: ProblemLog,
  written: keyof typeof kinds = 'declared',
): Consumer | null {
  const before = problems.count;
  const values = readMapping(raw, place, kinds[written], problems);
  if (values?.id === undefined || problems.count > before) return null;
  const { id, name = null, description = '', labels = {}, enabled = true } = values;
  return { id, name, description, labels, enabled };
}

/** Stands for a consumer that is absent or cannot be read. */
export function disabledConsumer(id: string): Consumer {
  return { id, name: null, description: '', labels: {}, enabled: false };
}

/** A consumer as a declarative file has it, with these declared credentials; defaults are left out. */
export function declareConsumer(
  { id, name, description, labels, enabled }: Consumer,
  credentials: readonly Declared[] = [],
): Declared {
  return withoutDefaults(
    { id, name, description, labels: { ...labels }, enabled, credentials },
    { name: null, description: '', labels: {}, enabled: true, credentials: [] },
  );
}

/** The same, always with `enabled`: see `declareWholeEndpoint`. */
export function declareWholeConsumer(consumer: Consumer, credentials?: readonly Declared[]): Declared {
  const { credentials: declared, ...rest } = declareConsumer(consumer, credentials);
  return { ...rest, enabled: consumer.enabled, ...(declared === undefined ? {} : { credentials: declared }) };
}
