import { declareFields, declaredFields } from '../credential-fields.ts';
import { type Declared, declareTime } from '../declared.ts';
import type { ManagedCredential, Stored } from '../resource.ts';
import { placeIn } from '../../model/document/problem-log.ts';
import { readMapping } from '../../model/document/read-mapping.ts';
import { readPlain } from '../../model/document/read-plain.ts';
import type { Planned } from './change.ts';
import { applyWish, type Wish } from './wish.ts';

/** What of a credential an edit changes: nothing that a rotation, a revocation or a new credential is for. */
export const editedCredentialKind = {
  what: 'an edit of a credential',
  fields: { expiresAt: declaredFields.expiresAt, allowFrom: declaredFields.allowFrom },
  required: [],
} as const;

/**
 * Plans a change of a credential's own fields. A revoked one does not work again, and is not edited; one that a
 * rotation retired keeps an end, and none gets an end that is over.
 */
export function planCredentialEdit(current: Stored<ManagedCredential>, wish: Wish, nowSeconds: number): Planned {
  const { resource } = current;
  if (resource.state === 'revoked') return { conflict: `the credential "${resource.id}" is revoked; issue a new one` };
  const declared = editable(resource);
  const read = readPlain(
    applyWish(declared, wish),
    (raw, place, problems) => {
      const values = readMapping(raw, place, editedCredentialKind, problems);
      const fault = values === null ? null : faultOfEnd(values.expiresAt ?? null, resource, nowSeconds);
      if (fault !== null) problems.report(placeIn(place, 'expiresAt'), fault);
      return fault === null ? values : null;
    },
    declared,
  );
  if ('problems' in read) return read;
  const { expiresAt = null, allowFrom = null } = read.value;
  const after: ManagedCredential = { ...resource, expiresAt, allowFrom };
  return { changes: [{ kind: 'credential', id: resource.id, before: current, after }] };
}

function editable(resource: ManagedCredential): Declared {
  const names = Object.keys(editedCredentialKind.fields);
  return Object.fromEntries(Object.entries(declareFields(resource)).filter(([name]) => names.includes(name)));
}

function faultOfEnd(
  expiresAt: number | null,
  { state, notBefore, expiresAt: former }: ManagedCredential,
  nowSeconds: number,
): string | null {
  if (expiresAt === former) return null;
  if (expiresAt === null) {
    return state === 'retiring' ? 'a credential that a rotation retired needs an end; give another time' : null;
  }
  if (notBefore !== null && expiresAt <= notBefore) return '"expiresAt" must be later than "notBefore"';
  if (expiresAt > nowSeconds) return null;
  return `${declareTime(expiresAt)} is over; revoke the credential to end it at once`;
}
