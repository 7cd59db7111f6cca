import type { Pending } from '../pending.ts';
import type { AuthenticatedClient } from './client-authentication.ts';
import type { OAuth2Answer } from './oauth2-request.ts';
import type { OAuth2Refusal } from './oauth2-refusal.ts';
import type { Parameters } from './parameters.ts';

/** An endpoint that authenticated clients post parameters to. */
export interface ClientEndpoint {
  /** What is wrong with the parameters whoever the client is; null when nothing is. */
  readonly findFault: (parameters: Parameters) => OAuth2Refusal | null;
  /** Answers a client. Throws, or rejects with, `StoreUnavailable` when the store cannot say. */
  readonly answer: (client: AuthenticatedClient, parameters: Parameters) => Pending<OAuth2Answer | OAuth2Refusal>;
}
