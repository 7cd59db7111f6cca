import type { Consumer } from '../model/consumer.ts';
import { type Field, FieldFault, flagField, idField, nestedField, textField, textsByKeyField } from './fields.ts';
import { placeIn, type Place } from './problem-log.ts';
import { readCredential, type ReadCredential } from './read-credential.ts';
import { readList, readMapping } from './read-mapping.ts';
import type { CredentialContext } from './read-secret.ts';

/** What goes into a request header as the consumer's name is bounded. */
const MAX_NAME_LENGTH = 256;
const noName = new FieldFault(`must hold 1 to ${String(MAX_NAME_LENGTH)} characters that are not all blanks`);
const nameField: Field<string> = (raw) => {
  const text = textField(raw);
  return text instanceof FieldFault || (text.trim() !== '' && text.length <= MAX_NAME_LENGTH) ? text : noName;
};

const consumerKind = {
  what: 'a consumer',
  fields: {
    id: idField,
    name: nameField,
    description: textField,
    labels: textsByKeyField,
    enabled: flagField,
    credentials: nestedField,
  },
  required: ['id'],
} as const;

/** A consumer, null when a problem of its own was reported, and its credentials. */
export interface ReadConsumer {
  readonly consumer: Consumer | null;
  readonly credentials: readonly ReadCredential[];
}

/** Reads a consumer with its credentials (spec §1). */
export function readConsumer(raw: unknown, place: Place, context: CredentialContext): ReadConsumer {
  const { problems } = context;
  const before = problems.count;
  const values = readMapping(raw, place, consumerKind, problems);
  if (values === null) return { consumer: null, credentials: [] };
  const { id, name = null, description = '', labels = {}, enabled = true } = values;
  const isFaulty = problems.count > before || id === undefined;
  const list = placeIn(place, 'credentials');
  const credentials = (readList(values.credentials, list, problems) ?? []).map((item, index) =>
    readCredential(item, placeIn(list, index), id ?? null, context),
  );
  return { consumer: isFaulty ? null : { id, name, description, labels, enabled }, credentials };
}
