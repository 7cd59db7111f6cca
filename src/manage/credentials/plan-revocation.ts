import type { Change } from '../change.ts';
import type { ManagedCredential, Stored } from '../../resources/resource.ts';

/** Plans that a credential is refused from now on, its former secret too. None when it is revoked already. */
export function planRevocation(current: Stored<ManagedCredential>): readonly Change[] {
  const { resource } = current;
  if (resource.state === 'revoked') return [];
  const after: ManagedCredential = { ...resource, state: 'revoked', retiringSecret: null };
  return [{ kind: 'credential', id: resource.id, before: current, after }];
}
