import { isDeepStrictEqual } from 'node:util';
import { type Db, MongoServerError } from 'mongodb';
import { Conflict } from '../../../resources/changes/resource-store.ts';
import { isDuplicate } from '../duplicates.ts';
import { type CollectionDefinition, collections, type IndexDefinition } from './collections.ts';

/** What a database lacks, or has otherwise, of what {@link collections} say. */
export type SchemaDifference =
  | { readonly what: 'collection'; readonly collection: string }
  | { readonly what: 'validator'; readonly collection: string }
  | { readonly what: 'index'; readonly collection: string; readonly index: string; readonly isThereOtherwise: boolean };

/** Compares; changes nothing. Rejects as the driver does. */
export async function findDifferences(db: Db): Promise<readonly SchemaDifference[]> {
  const there = new Map((await db.listCollections().toArray()).map((each) => [each.name, each]));
  const differences: SchemaDifference[] = [];
  for (const definition of collections) {
    const { name: collection } = definition;
    const info = there.get(collection);
    if (info === undefined) {
      differences.push({ what: 'collection', collection });
      continue;
    }
    if (!hasValidator('options' in info ? info.options : {}, definition)) {
      differences.push({ what: 'validator', collection });
    }
    const indexes = new Map((await db.collection(collection).indexes()).map((each) => [each.name, each]));
    for (const index of definition.indexes) {
      const found = indexes.get(index.name);
      if (found !== undefined && hasSameOptions(found, index)) continue;
      differences.push({ what: 'index', collection, index: index.name, isThereOtherwise: found !== undefined });
    }
  }
  return differences;
}

/** Makes a database what {@link collections} say, and leaves all else. Repeated or concurrent calls change nothing. */
export async function applyCollections(db: Db): Promise<void> {
  const differences = await findDifferences(db);
  for (const definition of collections) {
    const own = differences.filter(({ collection }) => collection === definition.name);
    const isMissing = own.some(({ what }) => what === 'collection');
    if (isMissing) await createCollection(db, definition);
    else if (own.some(({ what }) => what === 'validator')) await setValidator(db, definition);
    for (const index of definition.indexes) {
      const difference = own.find((each) => each.what === 'index' && each.index === index.name);
      if (difference?.what === 'index' && difference.isThereOtherwise) {
        await db.collection(definition.name).dropIndex(index.name);
      }
      if (isMissing || difference !== undefined) await createIndex(db, definition.name, index);
    }
  }
}

const NAMESPACE_EXISTS = 48;

async function createCollection(db: Db, definition: CollectionDefinition): Promise<void> {
  try {
    await db.createCollection(definition.name, { validator: definition.validator, ...strictly });
  } catch (error) {
    // Another process created it in the meantime, perhaps by writing into it.
    if (!(error instanceof MongoServerError) || error.code !== NAMESPACE_EXISTS) throw error;
    await setValidator(db, definition);
  }
}

async function setValidator(db: Db, { name, validator }: CollectionDefinition): Promise<void> {
  await db.command({ collMod: name, validator, ...strictly });
}

/** A change that leaves a wrong document wrong is refused, too: it has to be fixed in one edit. */
const strictly = { validationLevel: 'strict', validationAction: 'error' } as const;

/** Compares indexes of one name, and so of one key. */
function hasSameOptions(found: IndexDefinition['options'], { options }: IndexDefinition): boolean {
  const { unique = false, sparse = false, expireAfterSeconds, partialFilterExpression } = found;
  return (
    unique === (options.unique ?? false) &&
    sparse === (options.sparse ?? false) &&
    expireAfterSeconds === options.expireAfterSeconds &&
    isDeepStrictEqual(partialFilterExpression, options.partialFilterExpression)
  );
}

async function createIndex(db: Db, collection: string, { key, options }: IndexDefinition): Promise<void> {
  try {
    await db.collection(collection).createIndex(key, options, {});
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    const fields = Object.keys(key).join(' and ');
    throw new Conflict(
      `two documents of "${collection}" have the same ${fields}; remove one of them in the MongoDB shell`,
    );
  }
}

function hasValidator(options: unknown, { validator }: CollectionDefinition): boolean {
  const { validator: found, validationLevel, validationAction } = options as Readonly<Record<string, unknown>>;
  const isStrict = isDeepStrictEqual({ validationLevel, validationAction }, { ...strictly });
  return isStrict && isDeepStrictEqual(found, structuredClone(validator));
}
