import type { DocumentCredential } from '../../credential.ts';
import { isDeclared, type Placed } from '../../../model/document/problem-log.ts';
import { withoutFormer } from '../../../model/material.ts';
import type { Change } from '../change.ts';
import type { ManagedCredential } from '../../resource.ts';

// What a command stopped stays stopped (spec §6): a file that says nothing of it changes nothing of it, and a file that
// says the opposite is shown to do so, and needs `--revive`.

/** What a resource is that a change brings back. */
export type Stopped = 'disabled' | 'revoked' | 'retiring';

/**
 * A declared endpoint, consumer or issuer, which is enabled or disabled as the store has it when the document does not
 * say.
 */
export function keepEnabled<T extends { readonly enabled: boolean }>({ value, place }: Placed<T>, stored: T): T {
  return isDeclared(place, 'enabled') ? value : { ...value, enabled: stored.enabled };
}

/**
 * A declared credential with the state that the store has when the document does not say. A revoked one has no former
 * secret; one that retires does not end later than the store says.
 */
export function keepState({ value, place }: Placed<DocumentCredential>, stored: ManagedCredential): DocumentCredential {
  if (isDeclared(place, 'state')) return value;
  switch (stored.state) {
    case 'active':
      return value;
    case 'revoked':
      return { ...value, state: 'revoked', material: withoutFormer(value.material) };
    case 'retiring':
      return { ...value, state: 'retiring', expiresAt: earlier(value.expiresAt, stored.expiresAt) };
  }
}

function earlier(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

/** What the resource of a change was, when the change brings it back; null for all other changes. */
export function stoppedBefore(change: Change): Stopped | null {
  if (change.before === null || change.after === null) return null;
  switch (change.kind) {
    case 'endpoint':
    case 'consumer':
    case 'issuer':
    case 'operator':
      return !change.before.resource.enabled && change.after.enabled ? 'disabled' : null;
    case 'credential': {
      const { state } = change.before.resource;
      if (state === 'revoked') return change.after.state === 'revoked' ? null : state;
      return state === 'retiring' && change.after.state === 'active' ? state : null;
    }
    case 'grant':
    case 'plan':
      return null;
  }
}

/**
 * The first change of a new plan that the operator has not agreed to: it creates or deletes what the former plan did
 * not, or brings back what was stopped since. Null when there is none: the new plan may then replace the former one.
 */
export function findNotAgreed(agreed: readonly Change[], changes: readonly Change[]): Change | null {
  const known = new Map(agreed.map((change) => [keyOf(change), change]));
  const notAgreed = changes.find((change) => {
    const former = known.get(keyOf(change));
    return former === undefined || (stoppedBefore(change) !== null && stoppedBefore(former) === null);
  });
  return notAgreed ?? null;
}

function keyOf({ kind, id, before, after }: Change): string {
  const action = before === null ? 'create' : after === null ? 'delete' : 'change';
  return `${action} ${kind} ${id}`;
}
