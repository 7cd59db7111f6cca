import type { AuthenticationMethod } from '../../../model/endpoint.ts';
import type { Limit } from '../../../model/limit.ts';
import type { Declared } from '../../../resources/declared.ts';
import type { KongConsumer } from './kong-entities.ts';

/** Who gets in on a route, and how often. */
export interface RouteDecision {
  /** Null: callers are not authenticated. */
  readonly method: AuthenticationMethod | null;
  readonly options: Declared;
  /** Null: every consumer that is authenticated. */
  readonly allowed: ReadonlySet<KongConsumer> | null;
  /** Refuses everything, because of what could not be imported. */
  readonly isRefused: boolean;
  readonly limits: readonly Limit[];
  readonly deniesOnFailure: boolean;
}
