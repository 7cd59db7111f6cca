import type { Plan } from '../../../model/plan.ts';
import { type DocumentFault, describeId, faultIn, type RawDocument } from '../mapping/document-fault.ts';
import { readPlanDocument } from '../mapping/records.ts';
import { keyOf } from './endpoint-directory.ts';

/** The plans of one moment. */
export interface ReadPlans {
  /** Those in force, without faulty ones. */
  readonly plans: readonly Plan[];
  readonly faults: readonly DocumentFault[];
}

/**
 * The documents of the collection `plans`, kept up to date change by change, and what they say. A plan gives no access,
 * so a faulty one counts as absent: the limits of endpoints and grants still hold. Of two with the same priority, which
 * the unique index refuses, the one with the lower id counts, as limits would be lifted without either.
 */
export class PlanDirectory {
  readonly #records = new Map<string, { readonly plan: Plan } | { readonly fault: DocumentFault }>();

  replaceAll(documents: readonly RawDocument[]): void {
    this.#records.clear();
    for (const document of documents) this.set(document);
  }

  set(document: RawDocument): void {
    const read = readPlanDocument(document);
    this.#records.set(keyOf(document['_id']), 'fault' in read ? read : { plan: read.value });
  }

  remove(id: unknown): void {
    this.#records.delete(keyOf(id));
  }

  read(): ReadPlans {
    const faults: DocumentFault[] = [];
    const byPriority = new Map<number, Plan>();
    for (const [, record] of [...this.#records].sort(([one], [other]) => (one < other ? -1 : 1))) {
      if ('fault' in record) {
        faults.push(record.fault);
        continue;
      }
      const { plan } = record;
      const other = byPriority.get(plan.priority);
      if (other === undefined) byPriority.set(plan.priority, plan);
      else {
        const problem = `is that of the plan ${describeId(other.id)} too, so that this one does not count; change one`;
        faults.push(faultIn('plans', { _id: plan.id }, { field: 'priority', problem }));
      }
    }
    return { plans: [...byPriority.values()], faults };
  }
}
