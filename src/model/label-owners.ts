import { carries, type LabelSelector } from './labels.ts';
import type { Operator } from './operator.ts';
import { isBound } from './operator-bounds.ts';

/**
 * Which labels are reserved, by name: to the operators whose own labels carry a selector, or (null) to administrators
 * alone, who may set every label. A label that is not named here is anybody's.
 */
export type LabelOwners = ReadonlyMap<string, LabelSelector | null>;

/** No label is reserved. */
export const noLabelOwners: LabelOwners = new Map();

type Holder = Pick<Operator, 'role' | 'selector' | 'hosts' | 'pathPrefixes'>;

/** Whether an operator is an administrator: an admin who is bound by neither labels nor hosts nor paths. */
export function isAdministrator(operator: Holder): boolean {
  return operator.role === 'admin' && Object.keys(operator.selector).length === 0 && !isBound(operator);
}

/** Whether an operator may give a label to a resource, change it there, or take it away. */
export function maySetLabel(operator: Holder, name: string, labelOwners: LabelOwners): boolean {
  const owner = labelOwners.get(name);
  if (owner === undefined || isAdministrator(operator)) return true;
  return owner !== null && carries(operator.selector, owner);
}

/** `tier:admins` or `region:team=logistics`. */
const ENTRY = /^([^:=,\s]+):(?:admins|([^:=,\s]+)=([^:=,\s]+))$/;

/** Reads `tier:admins,region:team=logistics`. Null for another form, and where a label is named twice. */
export function parseLabelOwners(text: string): LabelOwners | null {
  const owners = new Map<string, LabelSelector | null>();
  for (const entry of text.split(',').map((part) => part.trim())) {
    const [, name, key, value] = ENTRY.exec(entry) ?? [];
    if (name === undefined || owners.has(name)) return null;
    owners.set(name, key === undefined || value === undefined ? null : { [key]: value });
  }
  return owners;
}
