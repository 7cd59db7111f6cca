import type { FieldChange } from '../../../resources/changes/describe-change.ts';

/** What was changed, by whom and when, as `GET /v1/audit` shows it. */
export interface ShownEvent {
  readonly event: string;
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly reason?: string;
  /** Equal for all that was changed at once. */
  readonly storeRevision: number;
  readonly kind: string;
  readonly id: string;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
  /** The event that this one undid. */
  readonly reverts?: { readonly event: string; readonly storeRevision: number };
  /** Nothing was changed: the operator met something beyond reach. */
  readonly refused?: string;
}

/** One event, as `GET /v1/audit/EVENT` shows it. */
export interface WholeEvent extends ShownEvent {
  readonly fields: readonly FieldChange[];
}

/** All that was changed at once, as `GET /v1/operations` shows it. */
export interface ShownOperation extends Pick<ShownEvent, 'at' | 'actor' | 'action' | 'reason' | 'storeRevision'> {
  readonly count: number;
  readonly counts: readonly { readonly verb: string; readonly kind: string; readonly count: number }[];
  /** The first of them. */
  readonly events: readonly {
    readonly event: string;
    readonly verb: string;
    readonly kind: string;
    readonly id: string;
  }[];
}
