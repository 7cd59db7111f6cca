import { type Command, InvalidArgumentError } from 'commander';
import { ID_PATTERN } from '../../model/document/fields.ts';
import { findNearestName } from '../../model/document/nearest-name.ts';
import { type AuditOperation, operationsOf } from '../../resources/changes/audit/operations.ts';
import {
  type AuditEvent,
  type AuditSelection,
  type AuditTrail,
  collectAll,
  NotFound,
} from '../../resources/changes/resource-store.ts';
import { parseGrantId } from '../../resources/grant.ts';
import { auditedKinds } from '../../resources/resource.ts';

/** Events as an operator names them: by the revision of the store that a command left, or one by its own id. */
export type EventName = { readonly storeRevision: number } | { readonly event: string };

const REVISION = /^(?:0|[1-9]\d{0,14})$/;
const EVENT_ID = /^[0-9a-f]{24}$/;

/** `4711`, or `65a1f0c2b3d4e5f601234567`. */
export function parseEventName(text: string): EventName {
  if (EVENT_ID.test(text)) return { event: text };
  if (REVISION.test(text)) return { storeRevision: Number(text) };
  throw new InvalidArgumentError('It must be a REVISION of "audit list", or the "event" of its JSON.');
}

/** `--resource`, for commands about events. */
export function addResourceFlag(command: Command, description: string): Command {
  return command.option('--resource <resource>', description, parseResource);
}

/**
 * The operations that a name leads to, each with the events about the resource, the newest first. Throws `NotFound`.
 */
export async function findOperations(
  audit: AuditTrail,
  name: EventName,
  resource: AuditSelection['resource'],
): Promise<readonly AuditOperation[]> {
  const found = await collectAll(operationsOf(audit.events(name)));
  if (found.length === 0) throw new NotFound(`there is no event ${describeName(name)}; see "postern audit list"`);
  if (resource === undefined) return found;
  const isWanted = ({ kind, id }: AuditEvent): boolean =>
    kind === resource.kind && (resource.id === null || resource.id === id);
  const selected = found
    .map((operation) => ({ ...operation, events: operation.events.filter(isWanted) }))
    .filter(({ events }) => events.length > 0);
  if (selected.length > 0) return selected;
  const wanted = `${resource.kind}${resource.id === null ? '' : `/${resource.id}`}`;
  throw new NotFound(`${describeName(name)} changed no ${wanted}; see "postern audit show ${textOf(name)}"`);
}

/** `revision 4711`, or the id of an event. */
export function describeName(name: EventName): string {
  return 'event' in name ? name.event : `revision ${String(name.storeRevision)}`;
}

function textOf(name: EventName): string {
  return 'event' in name ? name.event : String(name.storeRevision);
}

/** `consumer`, `consumer/acme`, `grant/orders/acme`, `grant/orders/tier=gold`. */
export function parseResource(text: string): NonNullable<AuditSelection['resource']> {
  const [name = '', ...ids] = text.split('/');
  const kind = auditedKinds.find((known) => known === name);
  if (kind === undefined) {
    const nearest = findNearestName(name, auditedKinds);
    const advice = nearest === null ? '' : ` Did you mean ${nearest}?`;
    throw new InvalidArgumentError(`It must be ${auditedKinds.join(', ')}, with /ID for one of them.${advice}`);
  }
  if (ids.length === 0) return { kind, id: null };
  const id = ids.join('/');
  if (kind === 'grant' ? parseGrantId(id) === null : !ID_PATTERN.test(id)) {
    const form = 'grant/ENDPOINT/CONSUMER, or grant/ENDPOINT/NAME=VALUE,… for labels in the order of their names';
    throw new InvalidArgumentError(`The form is ${kind === 'grant' ? form : `${kind}/ID`}.`);
  }
  return { kind, id };
}
