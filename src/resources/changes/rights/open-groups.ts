import type { Endpoint } from '../../../model/endpoint.ts';
import type { GroupGrant } from '../../../model/grant.ts';
import { type LabelOwners, maySetLabel } from '../../../model/label-owners.ts';
import { carries, type LabelSelector } from '../../../model/labels.ts';
import { allows, type Operator } from '../../../model/operator.ts';

/** A grant for a group into which an operator can bring consumers, without reaching its endpoint. */
export interface OpenGroup {
  readonly grant: GroupGrant;
  /** The first such operator. */
  readonly operator: Operator;
}

/**
 * The grants for groups that some operator can satisfy who does not reach their endpoint: by giving own consumers the
 * labels of the group, none of which is reserved to others.
 */
export function findOpenGroups(
  grants: readonly GroupGrant[],
  endpoints: readonly Endpoint[],
  operators: readonly Operator[],
  labelOwners: LabelOwners,
): readonly OpenGroup[] {
  const labelsOf = new Map(endpoints.map(({ id, labels }) => [id, labels]));
  const labelling = operators.filter(({ enabled, role }) => enabled && allows(role, 'change-consumers'));
  return grants.flatMap((grant) => {
    const labels = labelsOf.get(grant.endpointId) ?? {};
    const operator = labelling.find(
      (each) => !carries(labels, each.selector) && canSatisfy(each, grant.consumerSelector, labelOwners),
    );
    return operator === undefined ? [] : [{ grant, operator }];
  });
}

function canSatisfy(operator: Operator, group: LabelSelector, labelOwners: LabelOwners): boolean {
  const { selector } = operator;
  return Object.entries(group).every(([name, value]) =>
    Object.hasOwn(selector, name) ? selector[name] === value : maySetLabel(operator, name, labelOwners),
  );
}
