import type { ResourceKind, ResourceOf, Stored } from '../resource.ts';
import type { LabelSelector } from '../../model/labels.ts';
import type { PlainProblem } from '../../model/document/read-plain.ts';
import type { PlannedConflict } from './planned-conflict.ts';
import type { OperatorRights } from './rights/operator-rights.ts';

/** One resource made (`before` is null), changed, or deleted (`after` is null). */
export interface ChangeOf<K extends ResourceKind> {
  readonly kind: K;
  /** Of a grant the `grantId`. */
  readonly id: string;
  /** What the change was planned on: the store takes the change only while this revision is the current one. */
  readonly before: Stored<ResourceOf[K]> | null;
  readonly after: ResourceOf[K] | null;
  /** The event of the audit trail that this change undoes, which then names it. */
  readonly reverts?: RevertedEvent;
}

/** An event of the audit trail, and the revision of the store with the command that it belongs to. */
export interface RevertedEvent {
  readonly event: string;
  readonly storeRevision: number;
}

/** A planned change of one resource, of any kind. */
export type Change = { readonly [K in ResourceKind]: ChangeOf<K> }[ResourceKind];

/** Who makes a change and by which command, for the audit trail: `{ actor: 'ada', action: 'consumer disable' }`. */
export interface Operation {
  readonly actor: string;
  readonly action: string;
  /** Why, as the operator says it: a ticket, for example. */
  readonly reason?: string | undefined;
  /**
   * What all of it has to belong to when it is made (list-selected.ts): another operator may have changed labels since
   * it was planned. Absent for anything.
   */
  readonly selector?: LabelSelector | undefined;
  /**
   * Of the operator who asks for it over the management API: what is decided again when it is made (judge-changes.ts).
   */
  readonly rights?: OperatorRights | undefined;
  /** Whether an enabled admin without labels must remain, to manage operators (plan-operator.ts). */
  readonly keepsManager?: boolean | undefined;
}

/** How long a reason is at most. */
export const MAX_REASON_LENGTH = 500;

/** A reason: one line that is not all blanks, without characters that nobody sees (`unseenIn`). */
export const REASON_PATTERN =
  /^[^\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]*[^\s\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069][^\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]*$/;

/**
 * What comes of a wish: the changes that fulfil it, none when all is as wished; what is wrong with the wish, by paths
 * of the declared resource; or why it cannot be fulfilled on what the store has now.
 */
export type Planned =
  | { readonly changes: readonly Change[] }
  | { readonly problems: readonly PlainProblem[] }
  | PlannedConflict;
