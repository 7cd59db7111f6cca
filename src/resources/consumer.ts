import { type MappingKind, nestedList } from '../model/document/fields.ts';
import { readMapping, withDefaults } from '../model/document/read-mapping.ts';
import type { Reader } from '../model/document/read-plain.ts';
import { declareAddressList } from '../model/address-list.ts';
import { type Consumer, consumerDefaults, consumerFields } from '../model/consumer.ts';
import { sortLabels } from '../model/labels.ts';
import { credentialKind } from './credential.ts';
import { type Declared, withoutDefaults } from './declared.ts';

/** A consumer of a declarative file. */
export const consumerKind = {
  what: 'a consumer',
  fields: { ...consumerFields, credentials: nestedList(credentialKind) },
  required: ['id'],
} as const;

/** A consumer of a database, which has its credentials elsewhere and always says whether it is enabled. */
export const storedConsumerKind = { what: 'a consumer', fields: consumerFields, required: ['id', 'enabled'] } as const;

/** Reads a consumer (spec §1) of a declarative file, without its credentials; null when a problem was reported. */
export const readConsumer = readerOf(consumerKind);

/** Reads a consumer that is made or changed by itself: its credentials are resources of their own, and no field. */
export const readConsumerAlone = readerOf({ what: 'a consumer', fields: consumerFields, required: ['id'] });

/** Reads a consumer of a database; null when a problem was reported. */
export const readStoredConsumer = readerOf(storedConsumerKind);

function readerOf(kind: MappingKind<typeof consumerFields>): Reader<Consumer> {
  return (raw, place, problems) => {
    const before = problems.count;
    const values = readMapping(raw, place, kind, problems);
    if (values?.id === undefined || problems.count > before) return null;
    return { id: values.id, ...withDefaults(values, consumerDefaults) };
  };
}

/** Stands for a consumer that is absent or cannot be read. */
export function disabledConsumer(id: string): Consumer {
  return { id, ...consumerDefaults, enabled: false };
}

/** A consumer as a declarative file has it, with these declared credentials; defaults are left out. */
export function declareConsumer(consumer: Consumer, credentials: readonly Declared[] = []): Declared {
  const allowFrom = consumer.allowFrom === null ? null : declareAddressList(consumer.allowFrom);
  return withoutDefaults(
    { ...consumer, labels: sortLabels(consumer.labels), allowFrom, credentials },
    { ...consumerDefaults, credentials: [] },
  );
}

/** The same, always with `enabled`: see `declareWholeEndpoint`. */
export function declareWholeConsumer(consumer: Consumer, credentials?: readonly Declared[]): Declared {
  const { credentials: declared, ...rest } = declareConsumer(consumer, credentials);
  return { ...rest, enabled: consumer.enabled, ...(declared === undefined ? {} : { credentials: declared }) };
}
