import type { LabelOwners } from '../../../model/label-owners.ts';
import { type Operator, type Permission, rolesFor } from '../../../model/operator.ts';

/** What decides what an operator of the management API may change. */
export interface OperatorRights {
  readonly operator: Pick<Operator, 'id' | 'role' | 'selector' | 'hosts' | 'pathPrefixes'>;
  readonly labelOwners: LabelOwners;
}

/** Why an operator may not make changes, in a sentence that names nothing beyond reach. */
export interface Overreach {
  /** `NOT_FOUND` for what is beyond reach, as if it were not there. */
  readonly code: 'FORBIDDEN' | 'NOT_FOUND' | 'CONFLICT';
  readonly message: string;
  /** What beyond reach was met, where the sentence tells that there is something. */
  readonly met?: MetBeyondReach;
}

/** What beyond an operator's reach a request met. For the audit trail of those who reach everything. */
export interface MetBeyondReach {
  readonly kind: 'endpoint' | 'consumer' | 'credential' | 'grant' | 'plan' | 'issuer';
  readonly id: string;
  /** The whole sentence, with every name. */
  readonly sentence: string;
}

/** Why a role does not allow something; names the roles that do. */
export function describeLackingRole(role: Operator['role'], permission: Permission): string {
  return `the role ${role} does not allow this: it needs ${rolesFor(permission).join(' or ')}`;
}

/** Why somebody does not manage operators. */
export const ONLY_ADMINISTRATORS = 'only an admin without labels, hosts and paths manages operators';

/** What a store says of a conflict to an operator with labels, unless the conflict has a sentence for them. */
export function withoutNames({ unnamed }: { readonly unnamed: string | undefined }): string {
  return unnamed ?? 'the change does not go together with what is there now; read it again. Nothing was changed';
}
