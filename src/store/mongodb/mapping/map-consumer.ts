import type { Consumer } from '../../../model/consumer.ts';
import { collectionNames, type ConsumerDocument } from '../documents.ts';
import type { Mapped, RawDocument } from './document-fault.ts';
import { DocumentReader } from './document-reader.ts';
import { idRule, nameRule, textRule } from './text-rules.ts';
import { type VersionFields, versionFieldNames } from './version-fields.ts';

const fields = new Set([...versionFieldNames, 'name', 'description', 'labels', 'enabled']);

/** Reads a document of `consumers`. */
export function readConsumerDocument(document: RawDocument): Mapped<Consumer> {
  const reader = new DocumentReader(collectionNames.consumers, document);
  reader.onlyFields(fields);
  return reader.finish({
    id: reader.text('_id', idRule),
    name: reader.optionalText('name', nameRule),
    description: reader.optionalText('description', textRule) ?? '',
    labels: readLabels(reader),
    enabled: reader.flag('enabled'),
  });
}

/** Writes a consumer; what is empty is left out. */
export function writeConsumerDocument(consumer: Consumer, version: VersionFields): ConsumerDocument {
  const { id, name, description, labels, enabled } = consumer;
  return {
    _id: id,
    ...(name === null ? {} : { name }),
    ...(description === '' ? {} : { description }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    enabled,
    ...version,
  };
}

const noLabels: Readonly<Record<string, string>> = {};

function readLabels(reader: DocumentReader): Readonly<Record<string, string>> {
  const raw = reader.raw('labels');
  if (raw === undefined) return noLabels;
  const labels = reader.nested('labels', raw, (each) => {
    for (const key of Object.keys(raw as object)) each.text(key, textRule);
    return raw as Readonly<Record<string, string>>;
  });
  return labels ?? noLabels;
}
