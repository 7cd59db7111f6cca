import { type DescribedChange, describeFields } from '../describe-change.ts';
import type { AuditEvent } from '../resource-store.ts';
import { readSides } from './event-sides.ts';

/** What an event of the audit trail says in the words of a change; of a deletion with what was deleted. */
export function describeEvent(event: AuditEvent): DescribedChange {
  const { kind, id } = event;
  const { before, after, secrets } = readSides(event);
  const action = before === null ? 'create' : after === null ? 'delete' : 'change';
  const fields = [...describeFields(before, after), ...secrets];
  if (kind !== 'credential') return { action, kind, id, fields };
  return { action, kind, id, consumer: String((after ?? before)?.['consumer']), fields };
}
