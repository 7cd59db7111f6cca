import type { LabelSelector } from '../../../model/labels.ts';
import type { ManagedCredential } from '../../resource.ts';
import type { Change } from '../change.ts';
import type { GeneratedSecrets } from './resolve-credential.ts';

/** What has to be done so that the store says what a document says. */
export interface ApplyPlan {
  /** What all of the changes belong to (list-selected.ts); undefined for anything. */
  readonly selector: LabelSelector | undefined;
  /** Ordered so that references lead somewhere after each of them, except where endpoints take over requests. */
  readonly changes: readonly Change[];
  /** How many declared resources are in the store already as they are declared. */
  readonly unchangedCount: number;
  /** What was made up for new credentials, by their ids: to be shown once, and only when the change was made. */
  readonly generated: ReadonlyMap<string, GeneratedCredential>;
}

/** What is wished of a plan. */
export interface PlanOptions {
  /** Whether what the document does not name is deleted. */
  readonly isPruning: boolean;
}

/** How a plan of a document is made. */
export interface Planning extends PlanOptions {
  /** That of the document: nothing else is changed or deleted, and what the document has of others is a problem. */
  readonly selector: LabelSelector | undefined;
}

/** Changes of one kind, and how many declared resources need none. */
export interface KindPlan {
  /** Creations and changes, in the order of the document. */
  readonly made: readonly Change[];
  readonly deleted: readonly Change[];
  readonly unchangedCount: number;
}

/** Secrets that were made up for a credential. */
export interface GeneratedCredential extends GeneratedSecrets {
  readonly credential: ManagedCredential;
}
