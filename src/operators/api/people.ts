import type { SessionStore } from '../../resources/changes/sessions.ts';
import type { Operator } from '../../model/operator.ts';

/** Where people sign in who use this API with a command: metadata of a protected resource (RFC 9728 §2). */
export interface ProtectedResource {
  /** The address of this API. */
  readonly resource: string;
  /** The OpenID Connect provider. */
  readonly authorization_servers: readonly [string];
  readonly bearer_methods_supported: readonly ['header'];
  /** What an ID token has to be asked for with. */
  readonly scopes_supported: readonly string[];
  /** The public client whose ID tokens are taken; no registered name has it. */
  readonly postern_client_id: string;
}

/** What a command got at the provider. */
export interface ProviderTokens {
  readonly idToken: string;
  /** For the claims that the provider tells at its UserInfo endpoint only; null where none was sent. */
  readonly accessToken: string | null;
  /** Where it comes from, for the log. */
  readonly address: string;
}

/** People who sign in at the OpenID Connect provider with a command. */
export interface People {
  readonly metadata: ProtectedResource;
  readonly sessions: SessionStore;
  /**
   * The enabled operator with the subject of an ID token. Throws `ApiProblem`: `UNAUTHENTICATED` for tokens that are
   * not taken and people who are no operators, `PROVIDER_UNAVAILABLE` when that cannot be known.
   */
  identify(tokens: ProviderTokens): Promise<{ readonly operator: Operator; readonly subject: string }>;
}
