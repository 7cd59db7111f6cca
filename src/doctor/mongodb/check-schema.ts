import type { Db } from 'mongodb';
import { withFaults, MongodbUnavailable } from '../../store/mongodb/faults.ts';
import { findSchemaDifferences, repairSchema } from '../../store/mongodb/migrate.ts';
import type { SchemaDifference } from '../../store/mongodb/schema/differences.ts';
import { requireSchema } from '../../store/mongodb/schema/schema-version.ts';
import { fault, fine, type Finding, warning } from '../finding.ts';

const SUBJECT = 'collections';
const FIX = 'run "postern doctor --fix" as a user with the role posternMigrator';

const outcomes = {
  current: 'validators and indexes were compared, and mended where they differed',
  created: 'were made',
  migrated: 'were brought up to date',
} as const;

/** Makes or mends collections, validators and indexes. Rejects with `StoreUnavailable`, or `Conflict` for documents in the way. */
export async function fixSchema(db: Db): Promise<Finding> {
  return fine(SUBJECT, outcomes[await repairSchema(db)]);
}

/** Compares collections, validators and indexes with those of this version. Rejects with `StoreUnavailable`. */
export async function checkSchema(db: Db): Promise<readonly Finding[]> {
  try {
    await withFaults(() => requireSchema(db));
  } catch (error) {
    if (!(error instanceof MongodbUnavailable) || error.reason !== 'schema') throw error;
    return [{ ...fault(SUBJECT, error.message, FIX), cause: 'schema' }];
  }
  try {
    const differences = await findSchemaDifferences(db);
    if (differences.length > 0) return differences.map((difference) => fault(SUBJECT, describe(difference), FIX));
    return [fine(SUBJECT, 'are those of this version, with their validators and indexes')];
  } catch (error) {
    if (!(error instanceof MongodbUnavailable) || error.reason !== 'forbidden') throw error;
    const message =
      'have the right version; this user may not list collections and indexes, so those were not compared';
    return [warning(SUBJECT, message, 'run doctor as an operator (role posternOperator) to compare them')];
  }
}

function describe(difference: SchemaDifference): string {
  const { what, collection } = difference;
  if (what === 'collection') return `${collection} is missing`;
  if (what === 'validator') return `${collection} has another validator: nonsense can be stored`;
  return `${collection} ${difference.isThereOtherwise ? 'has another' : 'lacks the'} index ${difference.index}: look-ups are slow, or App Keys not unique`;
}
