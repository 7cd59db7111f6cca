import { isDeepStrictEqual } from 'node:util';
import { codesOf } from '../handover/codes.ts';
import { methodCodes } from '../handover/handover-page.ts';
import { readSides } from '../../resources/changes/audit/event-sides.ts';
import {
  type AuditEvent,
  type AuditTrail,
  collectAll,
  listGroupGrants,
  listPlans,
  type ResourceStore,
  type SystemOfRecord,
} from '../../resources/changes/resource-store.ts';
import type { Consumer } from '../../model/consumer.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import { isGroupGrant } from '../../model/grant.ts';
import { grantInEffect, limitsInForce, rankGrants } from '../../model/grant-in-effect.ts';
import { planFor } from '../../model/plan.ts';
import { formerEndOf } from '../../model/material.ts';
import type { RefusalRecord } from '../../check/refusals/refusal-record.ts';
import { grantId } from '../../resources/grant.ts';
import type { Declared } from '../../resources/declared.ts';
import type { ManagedCredential } from '../../resources/resource.ts';
import type { Subject } from './advice.ts';
import type { KeptContext, KeptRotation } from './kept-refusal.ts';

/** What is read for an explanation. */
interface KeptSource extends Pick<SystemOfRecord, 'file'> {
  readonly resources: Pick<ResourceStore, 'find' | 'list'>;
  readonly audit: Pick<AuditTrail, 'events'>;
}

/** Reads what the store knows today of a refusal at an endpoint. Rejects as the store does. */
export async function readKept(
  record: RefusalRecord,
  endpoint: Endpoint | null,
  { resources, audit, file }: KeptSource,
): Promise<Omit<KeptContext, 'givenSecret'>> {
  const { consumerId, credentialId } = record;
  if (consumerId === null || credentialId === null) {
    return { endpoint, held: null, isChangedSince: false, subject: null, rotation: null };
  }
  const [credential, consumer] = await Promise.all([
    resources.find('credential', credentialId),
    resources.find('consumer', consumerId),
  ]);
  const atSeconds = Math.floor(record.atMs / 1000);
  const names = { consumerId, credentialId, file };
  return {
    endpoint,
    held:
      credential === null || consumer === null
        ? null
        : { credential: credential.resource, consumer: consumer.resource, grants: new Map() },
    isChangedSince: [credential, consumer].some((stored) => stored !== null && stored.updatedAt > atSeconds),
    subject:
      consumer === null || endpoint === null || endpoint.scenario === 'open'
        ? null
        : { ...names, endpoint, ...(await readGrant(endpoint, consumer.resource, resources, atSeconds)) },
    rotation:
      credential === null
        ? null
        : ((file === null ? await findRotation(credentialId, record, audit) : null) ??
          endOfFormer(credential.resource, atSeconds)),
  };
}

/** What the documents for partners say about the code, without Markdown; null for none. */
export function meaningOf({ code }: Pick<RefusalRecord, 'code'>, endpoint: Endpoint | null): string | null {
  if (endpoint === null || endpoint.scenario === 'open') return OAUTH2_MEANINGS[code] ?? null;
  const { limits } = endpoint;
  const codes = codesOf([{ endpoint, limits, isAddressJudged: true, ofMethod: methodCodes(endpoint) }]);
  return codes.find((each) => each.code === code)?.meaning.replaceAll('`', '') ?? null;
}

const OAUTH2_MEANINGS: Readonly<Record<string, string>> = {
  invalid_client:
    'The client_id is known; its client_secret or client_assertion is wrong, or the credential cannot be used.',
  unauthorized_client: 'The client may not call from its address.',
  temporarily_unavailable: 'The client asked too often, or the database did not answer.',
};

async function readGrant(
  endpoint: Endpoint,
  { id: consumerId, labels }: Consumer,
  store: Pick<ResourceStore, 'find' | 'list'>,
  atSeconds: number,
): Promise<Pick<Subject, 'hasGrant' | 'limits' | 'plan'>> {
  const stored = await store.find('grant', grantId({ endpointId: endpoint.id, consumerId }));
  const own = stored === null || isGroupGrant(stored.resource) ? null : stored.resource;
  const groups = rankGrants(await listGroupGrants(store, endpoint.id));
  return {
    hasGrant: own !== null,
    limits: limitsInForce(endpoint.limits, grantInEffect(own, groups, labels, atSeconds)),
    plan: planFor(await listPlans(store), endpoint, labels),
  };
}

/** Changes of a credential that are looked through: most are rotations. */
const MAX_EVENTS = 50;

/** The last rotation before a refusal, as the audit trail has it; null for none. */
async function findRotation(
  credentialId: string,
  { atMs }: RefusalRecord,
  audit: KeptSource['audit'],
): Promise<KeptRotation | null> {
  const selection = { resource: { kind: 'credential', id: credentialId }, untilMs: atMs, limit: MAX_EVENTS } as const;
  for await (const event of audit.events(selection)) {
    const { before, after, secrets } = readSides(event);
    if (before === null || after === null) continue;
    const atSeconds = Math.floor(event.atMs / 1000);
    const isOtherKey = hasOtherKey(before, after);
    if (isOtherKey || secrets.some(({ path, secret }) => path === 'appSecret' && secret === 'changed')) {
      const former = after[isOtherKey ? 'retiringPublicKey' : 'retiringSecret'] as
        | { readonly expiresAt?: unknown }
        | undefined;
      return { atSeconds, formerEndsAt: readEnd(former?.expiresAt) ?? atSeconds, successorId: null };
    }
    if (before['state'] !== 'active' || after['state'] === 'active') continue;
    const successorId = await findSuccessor(event, audit);
    if (successorId === null) return null;
    const formerEndsAt = after['state'] === 'retiring' ? readEnd(after['expiresAt']) : null;
    return { atSeconds, formerEndsAt: formerEndsAt ?? atSeconds, successorId };
  }
  return null;
}

/** Whether a change replaced one public key by another. */
function hasOtherKey({ publicKey: before }: Declared, { publicKey: after }: Declared): boolean {
  return before !== undefined && after !== undefined && !isDeepStrictEqual(before, after);
}

/** The credential that was made in the same commit; null for none: then it was revoked, and not rotated. */
async function findSuccessor({ storeRevision }: AuditEvent, audit: KeptSource['audit']): Promise<string | null> {
  const events = await collectAll(
    audit.events({ storeRevision, resource: { kind: 'credential', id: null }, limit: 2 }),
  );
  return events.find(({ before }) => before === null)?.id ?? null;
}

/** A declared time in seconds since the epoch; null for none. */
function readEnd(time: unknown): number | null {
  return typeof time === 'string' ? Math.floor(Date.parse(time) / 1000) : null;
}

/** What a declarative file says of a rotation; null where it says nothing. */
function endOfFormer({ material }: ManagedCredential, atSeconds: number): KeptRotation | null {
  const formerEndsAt = formerEndOf(material);
  if (formerEndsAt === null || atSeconds < formerEndsAt) return null;
  return { atSeconds: null, formerEndsAt, successorId: null };
}
