import { Conflict } from '../../resources/changes/resource-store.ts';
import type { PlannedConflict, Remedy } from '../../resources/changes/planned-conflict.ts';

/** What is in the way of a command, with the flag or the command that helps. */
export function conflictOf({ conflict, remedy }: PlannedConflict): Conflict {
  return new Conflict(remedy === undefined ? conflict : `${conflict}; ${inCommands(remedy)}`);
}

function inCommands(remedy: Remedy): string {
  switch (remedy.kind) {
    case 'edit':
      return `change it with "postern ${remedy.resource} ${remedy.resource === 'issuer' ? 'set' : 'edit'} ${remedy.id}"`;
    case 'other-id':
      return 'choose another --id';
    case 'other-priority':
      return `give this one another with --priority, such as ${String(remedy.free)} to count before all of them`;
    case 'end-former-secret':
      return '--force does that';
    case 'new-public-key':
      return 'give the new one with --public-key FILE';
    case 'new-known-by':
      return '--claim, --certificate and the like do that, as in "credential issue"';
  }
}
