import { InvalidArgumentError } from 'commander';
import { ID_PATTERN } from '../../document/fields.ts';
import { findNearestName } from '../../document/nearest-name.ts';
import { resourceKinds } from '../../manage/resource.ts';
import type { AuditSelection } from '../../manage/resource-store.ts';

/** `consumer`, `consumer/acme`, `grant/orders/acme`. */
export function parseResource(text: string): NonNullable<AuditSelection['resource']> {
  const [name = '', ...ids] = text.split('/');
  const kind = resourceKinds.find((known) => known === name);
  if (kind === undefined) {
    const nearest = findNearestName(name, resourceKinds);
    const advice = nearest === null ? '' : ` Did you mean ${nearest}?`;
    throw new InvalidArgumentError(`It must be ${resourceKinds.join(', ')}, with /ID for one of them.${advice}`);
  }
  if (ids.length === 0) return { kind, id: null };
  if (ids.length !== (kind === 'grant' ? 2 : 1) || !ids.every((id) => ID_PATTERN.test(id))) {
    throw new InvalidArgumentError(`The form is ${kind === 'grant' ? 'grant/ENDPOINT/CONSUMER' : `${kind}/ID`}.`);
  }
  return { kind, id: ids.join('/') };
}
