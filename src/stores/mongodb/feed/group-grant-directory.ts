import { isGroupGrant, rankOf } from '../../../model/grant.ts';
import { type RankedGrant, rankedGrant } from '../../../model/grant-in-effect.ts';
import { type DocumentFault, describeId, faultIn, type RawDocument } from '../mapping/document-fault.ts';
import { readGrantDocument } from '../mapping/records.ts';
import { keyOf } from './endpoint-directory.ts';

/** The grants for groups of one moment. */
export interface ReadGroupGrants {
  /** Those in force, without faulty ones. */
  readonly grants: readonly RankedGrant[];
  readonly faults: readonly DocumentFault[];
}

/**
 * The documents of the collection `grants` that are for groups, kept up to date change by change, and what they say.
 *
 * Nothing is allowed because a document is wrong: a faulty grant counts as absent. Of two with the same priority on an
 * endpoint, which the unique index refuses, neither counts.
 */
export class GroupGrantDirectory {
  readonly #records = new Map<string, { readonly grant: RankedGrant } | { readonly fault: DocumentFault }>();

  replaceAll(documents: readonly RawDocument[]): void {
    this.#records.clear();
    for (const document of documents) this.set(document);
  }

  set(document: RawDocument): void {
    const read = readGrantDocument(document);
    const id = keyOf(document['_id']);
    if ('fault' in read) this.#records.set(id, read);
    else if (isGroupGrant(read.value)) this.#records.set(id, { grant: rankedGrant(read.value) });
    else this.#records.delete(id);
  }

  /** Whether there was one of this id. */
  remove(id: unknown): boolean {
    return this.#records.delete(keyOf(id));
  }

  read(): ReadGroupGrants {
    const faults: DocumentFault[] = [];
    const byRank = new Map<string, { readonly id: string; readonly grant: RankedGrant }[]>();
    for (const [id, record] of this.#records) {
      if ('fault' in record) {
        faults.push(record.fault);
        continue;
      }
      const rank = rankOf(record.grant);
      const others = byRank.get(rank);
      if (others === undefined) byRank.set(rank, [{ id, grant: record.grant }]);
      else others.push({ id, grant: record.grant });
    }
    const grants: RankedGrant[] = [];
    for (const [first, ...others] of byRank.values()) {
      if (first !== undefined && others.length === 0) grants.push(first.grant);
      for (const { id } of others) {
        const problem = `is that of the grant ${describeId(first?.id)} too, so that neither counts; change one`;
        faults.push(faultIn('grants', { _id: id }, { field: 'priority', problem }));
      }
    }
    return { grants, faults };
  }
}
