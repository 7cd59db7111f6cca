import { declareConsumer } from './consumer.ts';
import { declareCredential } from './credential.ts';
import type { Declared } from './declared.ts';
import { declareEndpoint } from './endpoint.ts';
import { declareGrant, grantId } from './grant.ts';
import type { ResourceKind, ResourceOf } from './resource.ts';

interface KindOfResource<K extends ResourceKind> {
  readonly idOf: (resource: ResourceOf[K]) => string;
  readonly declare: (resource: ResourceOf[K]) => Declared;
}

const kinds: { readonly [K in ResourceKind]: KindOfResource<K> } = {
  endpoint: { idOf: ({ id }) => id, declare: declareEndpoint },
  consumer: { idOf: ({ id }) => id, declare: (consumer) => declareConsumer(consumer) },
  credential: {
    idOf: ({ id }) => id,
    // In a declarative file the consumer that contains it is its owner.
    declare: (credential) => ({ consumer: credential.consumerId, ...declareCredential(credential, 'leave-out') }),
  },
  grant: { idOf: grantId, declare: declareGrant },
};

/** What names a resource within its kind. */
export function idOfResource<K extends ResourceKind>(kind: K, resource: ResourceOf[K]): string {
  return kinds[kind].idOf(resource);
}

/** A resource in the words of a declarative file, without secrets; a credential with its consumer. */
export function declareResource<K extends ResourceKind>(kind: K, resource: ResourceOf[K]): Declared {
  return kinds[kind].declare(resource);
}
