import type { ResourceKind } from '../../resource.ts';
import type { Declared } from '../../declared.ts';
import type { Change } from '../change.ts';
import { declareSentCredential } from './credential-record.ts';
import { declareForChange } from './record.ts';

/** A change as a command sends it to the management API. */
export interface SentChange {
  readonly kind: ResourceKind;
  /** Of a grant the `grantId`. */
  readonly id: string;
  /** The revision that the change was planned on; null for what is made. */
  readonly before: number | null;
  /** Null for what is deleted. */
  readonly after: Declared | null;
  /** Of a credential: which of its secrets are which of the stored ones, by their paths. */
  readonly keeps?: Readonly<Record<string, string>>;
  readonly reverts?: { readonly event: string; readonly storeRevision: number };
}

/** A change as it is sent. New secrets are in it. */
export function declareSentChange(change: Change): SentChange {
  const { kind, id, before, after, reverts } = change;
  const base = {
    kind,
    id,
    before: before === null ? null : before.revision,
    ...(reverts === undefined ? {} : { reverts: { event: reverts.event, storeRevision: reverts.storeRevision } }),
  };
  if (after === null) return { ...base, after: null };
  if (kind === 'credential') return { ...base, ...declareSentCredential(after) };
  return { ...base, after: declareForChange(kind, after) };
}
