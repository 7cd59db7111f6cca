import type { ManagedCredential, Stored } from '../resource.ts';
import { declareFields, declaredFields } from '../credential-fields.ts';
import { readMapping } from '../../model/document/read-mapping.ts';
import { readPlain } from '../../model/document/read-plain.ts';
import type { Planned } from './change.ts';
import { applyWish, type Wish } from './wish.ts';

/** What of a credential an edit changes: nothing that a rotation, a revocation or a new credential is for. */
export const editedCredentialKind = {
  what: 'an edit of a credential',
  fields: { allowFrom: declaredFields.allowFrom },
  required: [],
} as const;

/** Plans a change of a credential's own fields. A revoked one does not work again, and is not edited. */
export function planCredentialEdit(current: Stored<ManagedCredential>, wish: Wish): Planned {
  const { resource } = current;
  if (resource.state === 'revoked') return { conflict: `the credential "${resource.id}" is revoked; issue a new one` };
  const { allowFrom } = declareFields(resource) as { readonly allowFrom?: readonly string[] };
  const declared = allowFrom === undefined ? {} : { allowFrom };
  const read = readPlain(
    applyWish(declared, wish),
    (raw, place, problems) => readMapping(raw, place, editedCredentialKind, problems),
    declared,
  );
  if ('problems' in read) return read;
  const after: ManagedCredential = { ...resource, allowFrom: read.value.allowFrom ?? null };
  return { changes: [{ kind: 'credential', id: resource.id, before: current, after }] };
}
