import { declareConsumer, declareWholeConsumer } from './consumer.ts';
import { declareCredential, declareWholeOwned } from './credential.ts';
import { type Declared, declareTime } from './declared.ts';
import { declareEndpoint, declareWholeEndpoint } from './endpoint.ts';
import { declareGrant, grantId } from './grant.ts';
import { declareIssuer, declareWholeIssuer } from './issuer.ts';
import { declareOperator } from './operator.ts';
import { declarePlan } from './plan.ts';
import type { ResourceKind, ResourceOf, Stored } from './resource.ts';

const declareByKind: { readonly [K in ResourceKind]: (resource: ResourceOf[K]) => Declared } = {
  endpoint: declareEndpoint,
  consumer: (consumer) => declareConsumer(consumer),
  // In a declarative file the consumer that contains it is its owner.
  credential: (credential) => ({ consumer: credential.consumerId, ...declareCredential(credential, 'leave-out') }),
  grant: declareGrant,
  plan: declarePlan,
  issuer: declareIssuer,
  operator: declareOperator,
};

/** What names a resource within its kind. */
export function idOfResource(resource: ResourceOf[ResourceKind]): string {
  return 'endpointId' in resource ? grantId(resource) : resource.id;
}

/** A resource in the words of a declarative file, without secrets; a credential with its consumer. */
export function declareResource<K extends ResourceKind>(kind: K, resource: ResourceOf[K]): Declared {
  return declareByKind[kind](resource);
}

const declareWholeByKind: { readonly [K in ResourceKind]: (resource: ResourceOf[K]) => Declared } = {
  endpoint: declareWholeEndpoint,
  consumer: (consumer) => declareWholeConsumer(consumer),
  credential: (credential) => ({ consumer: credential.consumerId, ...declareWholeOwned(credential, 'leave-out') }),
  grant: declareGrant,
  plan: declarePlan,
  issuer: declareWholeIssuer,
  operator: declareOperator,
};

/**
 * The same with `enabled`, `state` and `accessCondition` always written, as the audit trail keeps it: what a former
 * version took for the default counts.
 */
export function declareWholeResource<K extends ResourceKind>(kind: K, resource: ResourceOf[K]): Declared {
  return declareWholeByKind[kind](resource);
}

/** Revision and times, for programs; nothing for a declarative file, which has none. */
export function declareVersion({ revision, createdAt, updatedAt }: Stored<unknown>): object {
  return revision === 0 ? {} : { revision, createdAt: declareTime(createdAt), updatedAt: declareTime(updatedAt) };
}
