import type { Consumer } from '../model/consumer.ts';
import type { Credential } from '../model/credential.ts';
import type { Endpoint } from '../model/endpoint.ts';
import type { Grant } from '../model/grant.ts';
import type { Operator } from '../model/operator.ts';
import type { Issuer } from '../model/issuer.ts';
import type { LabelsSince } from '../model/labels-since.ts';
import type { Plan } from '../model/plan.ts';
import type { Secret } from '../model/secret.ts';

/** What operators manage (spec §1), and the operators themselves, whom no declarative file holds. */
export const resourceKinds = ['endpoint', 'consumer', 'credential', 'grant', 'plan', 'issuer', 'operator'] as const;
export type ResourceKind = (typeof resourceKinds)[number];

/** What the audit trail has events of: replicas too, whose entries operators remove. */
export const auditedKinds = [...resourceKinds, 'replica'] as const;
export type AuditedKind = (typeof auditedKinds)[number];

/** A credential as operators have it: with its App Key, which the check path does without. */
export interface ManagedCredential extends Credential {
  /** Wrapped even where it is public, so that only a deliberate step shows it; null when only its hash is kept. */
  readonly appKey: Secret | null;
}

/** The resource of each kind. */
export interface ResourceOf {
  readonly endpoint: Endpoint;
  readonly consumer: Consumer;
  readonly credential: ManagedCredential;
  readonly grant: Grant;
  readonly plan: Plan;
  readonly issuer: Issuer;
  readonly operator: Operator;
}

/** A resource as the store has it. */
export interface Stored<T> {
  readonly resource: T;
  /** From 1, one more with every change: what a change is guarded by. */
  readonly revision: number;
  /** Seconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Of an endpoint, consumer or issuer of a database; absent where a former version wrote it last. */
  readonly labelsSince?: LabelsSince | undefined;
}
