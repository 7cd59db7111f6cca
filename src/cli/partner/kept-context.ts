import type { Subject } from '../../explain/advice.ts';
import type { KeptContext, KeptRotation } from '../../explain/kept-refusal.ts';
import { readSides } from '../../manage/audit/event-sides.ts';
import {
  collectAll,
  type AuditEvent,
  type AuditTrail,
  listGroupGrants,
  type ResourceStore,
} from '../../manage/resource-store.ts';
import type { Consumer } from '../../model/consumer.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import { isGroupGrant } from '../../model/grant.ts';
import { grantInEffect, limitsInForce, rankGrants } from '../../model/grant-in-effect.ts';
import type { Secret } from '../../model/secret.ts';
import type { RefusalRecord } from '../../refusals/refusal-record.ts';
import { grantId } from '../../resources/grant.ts';
import type { ManagedCredential } from '../../resources/resource.ts';
import { equal } from '../../signing/equal.ts';
import type { CommandContext } from '../command.ts';
import { readSecretArgument } from '../flags/inputs.ts';
import type { OpenedStore } from '../store/open-store.ts';
import type { ExplainFlags } from './explain-request.ts';

/** Reads what the store knows today of a refusal. `--secret-from` is compared with the stored App Secrets. */
export async function readContext(
  record: RefusalRecord,
  endpoint: Endpoint | null,
  { secretFrom }: Pick<ExplainFlags, 'secretFrom'>,
  { resources, audit, file }: OpenedStore,
  { terminal: { environment } }: CommandContext,
): Promise<KeptContext> {
  const [credential, consumer] = await Promise.all([
    resources.find('credential', record.credentialId),
    resources.find('consumer', record.consumerId),
  ]);
  const atSeconds = Math.floor(record.atMs / 1000);
  const given = secretFrom === undefined ? null : readSecretArgument(secretFrom, environment);
  const names = { consumerId: record.consumerId, credentialId: record.credentialId, file };
  return {
    endpoint,
    held:
      credential === null || consumer === null
        ? null
        : { credential: credential.resource, consumer: consumer.resource, grants: new Map() },
    isChangedSince: [credential, consumer].some((stored) => stored !== null && stored.updatedAt > atSeconds),
    givenSecret: given === null || credential === null ? null : whichSecret(given, credential.resource),
    subject:
      consumer === null || endpoint === null || endpoint.scenario === 'open'
        ? null
        : { ...names, endpoint, ...(await readGrant(endpoint, consumer.resource, resources, atSeconds)) },
    rotation:
      credential === null
        ? null
        : ((file === null ? await findRotation(record, audit) : null) ?? endOfFormer(credential.resource, atSeconds)),
  };
}

/** Null where the stored ones cannot be read here. */
function whichSecret(
  given: string,
  { appSecret, retiringSecret }: { appSecret: Secret | null; retiringSecret: { appSecret: Secret } | null },
): KeptContext['givenSecret'] {
  if (appSecret === null) return null;
  try {
    if (equal(Buffer.from(given), appSecret.reveal())) return 'current';
    return retiringSecret !== null && equal(Buffer.from(given), retiringSecret.appSecret.reveal())
      ? 'retiring'
      : 'other';
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return null;
  }
}

async function readGrant(
  endpoint: Endpoint,
  { id: consumerId, labels }: Consumer,
  store: ResourceStore,
  atSeconds: number,
): Promise<Pick<Subject, 'hasGrant' | 'limits'>> {
  const stored = await store.find('grant', grantId({ endpointId: endpoint.id, consumerId }));
  const own = stored === null || isGroupGrant(stored.resource) ? null : stored.resource;
  const groups = rankGrants(await listGroupGrants(store, endpoint.id));
  return {
    hasGrant: own !== null,
    limits: limitsInForce(endpoint.limits, grantInEffect(own, groups, labels, atSeconds)),
  };
}

/** Changes of a credential that are looked through: most are rotations. */
const MAX_EVENTS = 50;

/** The last rotation before a refusal, as the audit trail has it; null for none. */
async function findRotation({ credentialId, atMs }: RefusalRecord, audit: AuditTrail): Promise<KeptRotation | null> {
  const selection = { resource: { kind: 'credential', id: credentialId }, untilMs: atMs, limit: MAX_EVENTS } as const;
  for await (const event of audit.events(selection)) {
    const { before, after, secrets } = readSides(event);
    if (before === null || after === null) continue;
    const atSeconds = Math.floor(event.atMs / 1000);
    if (secrets.some(({ path, secret }) => path === 'appSecret' && secret === 'changed')) {
      const former = after['retiringSecret'] as { readonly expiresAt?: unknown } | undefined;
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

/** The credential that was made in the same commit; null for none: then it was revoked, and not rotated. */
async function findSuccessor({ storeRevision }: AuditEvent, audit: AuditTrail): Promise<string | null> {
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
function endOfFormer({ retiringSecret }: ManagedCredential, atSeconds: number): KeptRotation | null {
  if (retiringSecret === null || atSeconds < retiringSecret.expiresAt) return null;
  return { atSeconds: null, formerEndsAt: retiringSecret.expiresAt, successorId: null };
}
