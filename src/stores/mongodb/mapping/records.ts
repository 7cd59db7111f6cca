import {
  dateField,
  dateOf,
  FieldFault,
  isMapping,
  type Field,
  wholeNumberField,
} from '../../../model/document/fields.ts';
import { readMapping } from '../../../model/document/read-mapping.ts';
import { type Reader, readPlain } from '../../../model/document/read-plain.ts';
import type { Consumer } from '../../../model/consumer.ts';
import type { Endpoint } from '../../../model/endpoint.ts';
import { type Grant, isGroupGrant } from '../../../model/grant.ts';
import type { LabelsSince } from '../../../model/labels-since.ts';
import type { Issuer } from '../../../model/issuer.ts';
import type { Plan } from '../../../model/plan.ts';
import type { Operator } from '../../../model/operator.ts';
import { declareWholeConsumer, readStoredConsumer } from '../../../resources/consumer.ts';
import { declareEndpoint, readEndpoint } from '../../../resources/endpoint.ts';
import { grantId, readStoredGrant } from '../../../resources/grant.ts';
import { declareWholeIssuer, readStoredIssuer } from '../../../resources/issuer.ts';
import { declareStoredPlan, readPlan } from '../../../resources/plan.ts';
import { declareOperator, readStoredOperator } from '../../../resources/operator.ts';
import type { Stored } from '../../../resources/resource.ts';
import type { DeclaredDocument, GrantDocument, VersionedDocument } from '../documents.ts';
import { faultIn, type Mapped, type RawDocument } from './document-fault.ts';

/** What every document of a resource has beside its own fields. */
export type VersionFields = Omit<VersionedDocument, '_id'>;

/** Revision and times of a resource; {@link Stored} without the resource. */
export type Version = Omit<Stored<unknown>, 'resource'>;

/** Reads a document with the rules of its resource, whose id is its `_id`. Of several problems the first is given. */
export function readRecord<T>(collection: string, document: RawDocument, read: Reader<T>): Mapped<T> {
  if (document['id'] !== undefined) {
    return {
      fault: faultIn(collection, document, { field: 'id', problem: 'is not a known field; the id is in "_id"' }),
    };
  }
  const fields: Record<string, unknown> = { id: document['_id'] };
  for (const name of Object.keys(document)) if (!versionNames.has(name)) fields[name] = document[name];
  return readWhole(collection, document, fields, read);
}

const versionNames: ReadonlySet<string> = new Set(['_id', 'revision', 'createdAt', 'updatedAt', 'labelsSince']);

function readWhole<T>(collection: string, document: RawDocument, value: unknown, reader: Reader<T>): Mapped<T> {
  // What is there already may be beyond the bounds of what is written.
  const read = readPlain(value, reader, value);
  if ('value' in read) return read;
  const { path, message } = read.problems[0] ?? { path: '', message: 'cannot be read' };
  return { fault: faultIn(collection, document, { field: path === 'id' ? '_id' : path, problem: message }) };
}

const noDates = new FieldFault('must be a mapping of dates');

/** Dates by the names of labels, as seconds since the epoch. */
const datesByNameField: Field<LabelsSince> = Object.assign(
  (raw: unknown) => {
    if (!isMapping(raw)) return noDates;
    const entries = Object.entries(raw).map(([name, date]) => [name, dateField(date)] as const);
    const good = entries.flatMap(([name, date]) => (typeof date === 'number' ? [[name, date] as const] : []));
    return good.length === entries.length ? Object.fromEntries(good) : noDates;
  },
  { schema: { bsonType: 'object', additionalProperties: { bsonType: 'date' } } },
);

/** What every record has besides its resource. */
export const versionKind = {
  what: 'a document',
  fields: {
    revision: wholeNumberField(1, Number.MAX_SAFE_INTEGER),
    createdAt: dateField,
    updatedAt: dateField,
    labelsSince: datesByNameField,
  },
  required: ['revision', 'createdAt', 'updatedAt'],
} as const;

/** Reads revision and times. */
export function readVersion(collection: string, document: RawDocument): Mapped<Version> {
  const { revision, createdAt, updatedAt, labelsSince } = document;
  const own = { revision, createdAt, updatedAt, ...(labelsSince === undefined ? {} : { labelsSince }) };
  return readWhole(collection, document, own, (raw, place, problems) => {
    const values = readMapping(raw, place, versionKind, problems);
    if (values?.revision === undefined || values.createdAt === undefined || values.updatedAt === undefined) return null;
    const since = values.labelsSince === undefined ? {} : { labelsSince: values.labelsSince };
    return { revision: values.revision, createdAt: values.createdAt, updatedAt: values.updatedAt, ...since };
  });
}

/** Writes revision and times, given in seconds. */
export function writeVersion({ revision, createdAt, updatedAt, labelsSince }: Version): VersionFields {
  const own = { revision, createdAt: dateOf(createdAt), updatedAt: dateOf(updatedAt) };
  if (labelsSince === undefined) return own;
  const dates = Object.entries(labelsSince).map(([name, seconds]) => [name, dateOf(seconds)] as const);
  return { ...own, labelsSince: Object.fromEntries(dates) };
}

/** Reads a document of `endpoints`. */
export function readEndpointDocument(document: RawDocument): Mapped<Endpoint> {
  return readRecord('endpoints', document, readEndpoint);
}

/** Writes an endpoint as a declarative file has it. */
export function writeEndpointDocument(endpoint: Endpoint, version: VersionFields): DeclaredDocument {
  const { id, ...declared } = declareEndpoint(endpoint);
  return { _id: String(id), ...declared, ...version };
}

/** Reads a document of `consumers`. */
export function readConsumerDocument(document: RawDocument): Mapped<Consumer> {
  return readRecord('consumers', document, readStoredConsumer);
}

/** Writes a consumer as a declarative file has it, always with `enabled`. */
export function writeConsumerDocument(consumer: Consumer, version: VersionFields): DeclaredDocument {
  const { id, ...declared } = declareWholeConsumer(consumer);
  return { _id: String(id), ...declared, ...version };
}

/** Reads a document of `grants`. */
export function readGrantDocument(document: RawDocument): Mapped<Grant> {
  return readRecord('grants', document, readStoredGrant);
}

/** Writes a grant. */
export function writeGrantDocument(grant: Grant, version: VersionFields): GrantDocument {
  const { endpointId, limits, expiresAt } = grant;
  return {
    _id: grantId(grant),
    endpointId,
    ...(isGroupGrant(grant)
      ? { consumerSelector: grant.consumerSelector, priority: grant.priority }
      : { consumerId: grant.consumerId }),
    ...(limits === null ? {} : { limits: limits.map(({ requests, unit, per }) => ({ requests, unit, per })) }),
    ...(expiresAt === null ? {} : { expiresAt: dateOf(expiresAt) }),
    ...version,
  };
}

/** Reads a document of `plans`. */
export function readPlanDocument(document: RawDocument): Mapped<Plan> {
  return readRecord('plans', document, readPlan);
}

/** Writes a plan, always with its priority. */
export function writePlanDocument(plan: Plan, version: VersionFields): DeclaredDocument {
  const { id, ...declared } = declareStoredPlan(plan);
  return { _id: String(id), ...declared, ...version };
}

/** Reads a document of `issuers`. */
export function readIssuerDocument(document: RawDocument): Mapped<Issuer> {
  return readRecord('issuers', document, readStoredIssuer);
}

/** Writes an issuer as a declarative file has it, always with `enabled`. */
export function writeIssuerDocument(issuer: Issuer, version: VersionFields): DeclaredDocument {
  const { id, ...declared } = declareWholeIssuer(issuer);
  return { _id: String(id), ...declared, ...version };
}

/** Reads a document of `operators`. */
export function readOperatorDocument(document: RawDocument): Mapped<Operator> {
  return readRecord('operators', document, readStoredOperator);
}

/** Writes an operator with the hashes of the tokens, always with `enabled`. */
export function writeOperatorDocument(operator: Operator, version: VersionFields): DeclaredDocument {
  const { id, ...declared } = declareOperator(operator);
  const tokens = operator.tokens.map(({ createdAt, expiresAt, ...token }) => ({
    ...token,
    createdAt: dateOf(createdAt),
    expiresAt: dateOf(expiresAt),
  }));
  return { _id: String(id), ...declared, tokens, ...version };
}
