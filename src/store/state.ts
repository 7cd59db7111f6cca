import type { Consumer } from '../model/consumer.ts';
import type { Credential } from '../model/credential.ts';
import type { Endpoint } from '../model/endpoint.ts';
import type { Grant } from '../model/grant.ts';

/** All resources of a store at one moment, validated: references resolve, ids and App Keys are unique, matches do not collide. */
export interface StoreState {
  readonly endpoints: readonly Endpoint[];
  readonly consumers: readonly Consumer[];
  readonly credentials: readonly Credential[];
  readonly grants: readonly Grant[];
}
