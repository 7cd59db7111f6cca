import { grantId } from '../../../manage/resource.ts';
import type { Grant } from '../../../model/grant.ts';
import { limitUnits, type Limit, MAX_LIMIT_REQUESTS } from '../../../model/limit.ts';
import { collectionNames, type GrantDocument } from '../documents.ts';
import type { Mapped, RawDocument } from './document-fault.ts';
import { DocumentReader } from './document-reader.ts';
import { idRule } from './text-rules.ts';
import { dateOf, type VersionFields, versionFieldNames } from './version-fields.ts';

const fields = new Set([...versionFieldNames, 'endpointId', 'consumerId', 'limits', 'expiresAt']);
const limitFields = new Set(['requests', 'unit', 'per']);

/** Reads a document of `grants`. */
export function readGrantDocument(document: RawDocument): Mapped<Grant> {
  const reader = new DocumentReader(collectionNames.grants, document);
  reader.onlyFields(fields);
  const endpointId = reader.text('endpointId', idRule);
  const consumerId = reader.text('consumerId', idRule);
  if (document['_id'] !== grantId({ endpointId, consumerId })) {
    reader.fail('_id', 'must be "endpointId/consumerId" of the same document');
  }
  const limits = reader.has('limits') ? readLimits(reader) : null;
  return reader.finish({ endpointId, consumerId, limits, expiresAt: reader.optionalTime('expiresAt') });
}

/** Writes a grant. */
export function writeGrantDocument(grant: Grant, version: VersionFields): GrantDocument {
  const { endpointId, consumerId, limits, expiresAt } = grant;
  return {
    _id: grantId(grant),
    endpointId,
    consumerId,
    ...(limits === null ? {} : { limits: limits.map(({ requests, unit, per }) => ({ requests, unit, per })) }),
    ...(expiresAt === null ? {} : { expiresAt: dateOf(expiresAt) }),
    ...version,
  };
}

/** A grant limits its own consumer, and each unit once (spec §1). */
function readLimits(reader: DocumentReader): readonly Limit[] {
  const limits: Limit[] = [];
  for (const [index, item] of reader.list('limits').entries()) {
    const field = `limits[${String(index)}]`;
    const limit = reader.nested(field, item, (each) => {
      each.onlyFields(limitFields);
      const requests = each.wholeNumber('requests', 1, MAX_LIMIT_REQUESTS);
      const unit = each.choice('unit', limitUnits);
      const per = each.choice('per', ['consumer']);
      return unit === null || per === null ? null : { requests, unit, per };
    });
    if (limit === null) continue;
    if (limits.some(({ unit }) => unit === limit.unit)) reader.fail(field, 'has a unit that another limit has already');
    limits.push(limit);
  }
  return limits;
}
