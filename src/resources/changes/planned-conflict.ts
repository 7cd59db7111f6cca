import type { ResourceKind } from '../resource.ts';

/** Why a wish cannot be fulfilled on what the store has now. */
export interface PlannedConflict {
  /** The fact, in words that commands and the management API share. */
  readonly conflict: string;
  /** What would help, which each of them says in its own words. */
  readonly remedy?: Remedy;
  /** What is in the way, where the sentence names it and it may belong to others. */
  readonly holder?: ConflictHolder;
}

/** What an operator can do about a conflict. Commands and the API say it in their own words. */
export type Remedy =
  /** Change the one that is there. */
  | { readonly kind: 'edit'; readonly resource: ResourceKind; readonly id: string }
  | { readonly kind: 'other-id' }
  /** Another priority; `free` is one that counts before all. */
  | { readonly kind: 'other-priority'; readonly free: number }
  | { readonly kind: 'end-former-secret' }
  | { readonly kind: 'new-public-key' }
  /** Other claims, or another certificate. */
  | { readonly kind: 'new-known-by' };

/** What is in the way of a wish. */
export interface ConflictHolder {
  readonly kind: 'endpoint' | 'consumer' | 'credential' | 'plan' | 'issuer';
  readonly id: string;
  /** The sentence of the conflict without its name, for operators beyond whose reach it is. */
  readonly unnamed: string;
}

/** The id of a new endpoint, consumer, plan or issuer is taken. Ids are those of all: it shows, but not whose it is. */
export function takenId(kind: 'endpoint' | 'consumer' | 'plan' | 'issuer', id: string): PlannedConflict {
  const conflict = `the ${kind} "${id}" already exists`;
  const holder = { kind, id, unnamed: `${conflict}; take another "id"` };
  return { conflict, remedy: { kind: 'edit', resource: kind, id }, holder };
}

/** The id of a new credential is taken. */
export function takenCredentialId(id: string): PlannedConflict {
  const conflict = `the credential "${id}" already exists`;
  const holder = { kind: 'credential', id, unnamed: `${conflict}; take another "id"` } as const;
  return { conflict, remedy: { kind: 'other-id' }, holder };
}
