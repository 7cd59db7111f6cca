import type { Stored } from '../../../manage/resource.ts';
import type { VersionedDocument } from '../documents.ts';
import type { DocumentReader } from './document-reader.ts';

/** What every document of a resource has beside its own fields. */
export type VersionFields = Omit<VersionedDocument, '_id'>;

/** The fields of every document, for `onlyFields`. */
export const versionFieldNames = ['_id', 'revision', 'createdAt', 'updatedAt'] as const;

/** Revision and times of a resource; {@link Stored} without the resource. */
export type Version = Omit<Stored<unknown>, 'resource'>;

/** Reads revision and times. */
export function readVersion(reader: DocumentReader): Version {
  return {
    revision: reader.wholeNumber('revision', 1, Number.MAX_SAFE_INTEGER),
    createdAt: reader.time('createdAt'),
    updatedAt: reader.time('updatedAt'),
  };
}

/** Writes revision and times, given in seconds. */
export function writeVersion({ revision, createdAt, updatedAt }: Version): VersionFields {
  return { revision, createdAt: dateOf(createdAt), updatedAt: dateOf(updatedAt) };
}

/** Seconds since the epoch as a BSON date. */
export function dateOf(seconds: number): Date {
  return new Date(seconds * 1000);
}
