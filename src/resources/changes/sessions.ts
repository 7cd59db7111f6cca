/** An operator who is signed in to the console. Times are seconds since the epoch. */
export interface Session {
  /** SHA-256 of the id that the browser holds, 64 lower-case hexadecimal digits. The id itself is not kept. */
  readonly hash: string;
  readonly operatorId: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** The token that was signed in with; null for a person of the OpenID Connect provider. */
  readonly tokenId: string | null;
  /** The subject that the provider told; null for a token. */
  readonly subject: string | null;
}

/**
 * The sessions of all processes that serve one store. Rejects with `StoreUnavailable`. A commit that disables or
 * removes an operator, or takes the token or subject that a session began with, also ends the sessions.
 */
export interface SessionStore {
  add(session: Session): Promise<void>;
  /** Null when there is none; one that has expired may still be there. */
  find(hash: string): Promise<Session | null>;
  /** Moves the end, never to an earlier time. */
  extend(hash: string, expiresAt: number): Promise<void>;
  remove(hash: string): Promise<void>;
}
