import { isGroupGrant, rankOf } from '../../../model/grant.ts';
import { type RankedGrant, rankedGrant } from '../../../model/grant-in-effect.ts';
import type { Issuer } from '../../../model/issuer.ts';
import type { Plan } from '../../../model/plan.ts';
import { type DocumentFault, describeId, faultIn, type Mapped, type RawDocument } from '../mapping/document-fault.ts';
import { readGrantDocument, readIssuerDocument, readPlanDocument } from '../mapping/records.ts';
import { keyOf } from './endpoint-directory.ts';

/** What a collection that is held in memory as a whole is made of. */
interface RecordRules<T> {
  readonly collection: 'grants' | 'plans' | 'issuers';
  readonly noun: string;
  /** Null for a document that is of no concern here. */
  readonly read: (document: RawDocument) => Mapped<T | null>;
  /** What no two may have the same of, which a unique index sees to, and the field that it is in. */
  readonly unique: (record: T) => string;
  readonly field: string;
  /** Of several with the same: the one with the lowest id counts, or none. */
  readonly ofSame: 'first' | 'none';
}

/** The records of one moment. */
export interface ReadRecords<T> {
  /** Those in force, without faulty ones. */
  readonly records: readonly T[];
  readonly faults: readonly DocumentFault[];
}

/**
 * The documents of a collection, kept up to date change by change, and what they say. Nothing is allowed because a
 * document is wrong: a faulty one counts as absent.
 */
export class RecordDirectory<T> {
  readonly #rules: RecordRules<T>;
  readonly #records = new Map<string, { readonly record: T } | { readonly fault: DocumentFault }>();

  constructor(rules: RecordRules<T>) {
    this.#rules = rules;
  }

  replaceAll(documents: readonly RawDocument[]): void {
    this.#records.clear();
    for (const document of documents) this.set(document);
  }

  set(document: RawDocument): void {
    const read = this.#rules.read(document);
    const id = keyOf(document['_id']);
    if ('fault' in read) this.#records.set(id, read);
    else if (read.value === null) this.#records.delete(id);
    else this.#records.set(id, { record: read.value });
  }

  /** Whether there was one of this id. */
  remove(id: unknown): boolean {
    return this.#records.delete(keyOf(id));
  }

  read(): ReadRecords<T> {
    const { collection, noun, unique, field, ofSame } = this.#rules;
    const faults: DocumentFault[] = [];
    const bySame = new Map<string, { readonly id: string; readonly record: T; isAlone: boolean }>();
    for (const [id, record] of [...this.#records].sort(([one], [other]) => (one < other ? -1 : 1))) {
      if ('fault' in record) {
        faults.push(record.fault);
        continue;
      }
      const same = unique(record.record);
      const first = bySame.get(same);
      if (first === undefined) {
        bySame.set(same, { id, record: record.record, isAlone: true });
        continue;
      }
      first.isAlone = false;
      const effect = ofSame === 'first' ? 'this one does not count' : 'neither counts';
      const problem = `is that of the ${noun} ${describeId(first.id)} too, so that ${effect}; change one`;
      faults.push(faultIn(collection, { _id: id }, { field, problem }));
    }
    const inForce = [...bySame.values()].filter(({ isAlone }) => isAlone || ofSame === 'first');
    return { records: inForce.map(({ record }) => record), faults };
  }
}

/** Grants for groups; others of the collection are passed over. Of two with the same priority neither counts. */
export function groupGrantDirectory(): RecordDirectory<RankedGrant> {
  return new RecordDirectory({
    collection: 'grants',
    noun: 'grant',
    read: (document) => {
      const read = readGrantDocument(document);
      if ('fault' in read) return read;
      return { value: isGroupGrant(read.value) ? rankedGrant(read.value) : null };
    },
    unique: rankOf,
    field: 'priority',
    ofSame: 'none',
  });
}

/**
 * Plans, which give no access: the limits of endpoints and grants hold without them. Of two with the same priority one
 * counts, as limits would be lifted without either.
 */
export function planDirectory(): RecordDirectory<Plan> {
  return new RecordDirectory({
    collection: 'plans',
    noun: 'plan',
    read: readPlanDocument,
    unique: ({ priority }) => String(priority),
    field: 'priority',
    ofSame: 'first',
  });
}

/** Issuers. Of two with the same `iss` neither counts: whose keys verify its tokens would be open. */
export function issuerDirectory(): RecordDirectory<Issuer> {
  return new RecordDirectory({
    collection: 'issuers',
    noun: 'issuer',
    read: readIssuerDocument,
    unique: ({ issuer }) => issuer,
    field: 'issuer',
    ofSame: 'none',
  });
}
