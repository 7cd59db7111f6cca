import type { Operator } from '../../model/operator.ts';
import type { Stored } from '../resource.ts';

/** An operator who is signed in, to the console or with a command. Times are seconds since the epoch. */
export interface Session {
  /** SHA-256 of what the browser or command holds, 64 lower-case hexadecimal digits. That itself is not kept. */
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

/** Whether a session lives at this time, and still belongs to its operator. */
export function isLive(session: Session, { resource, createdAt }: Stored<Operator>, nowSeconds: number): boolean {
  const { tokenId, subject } = session;
  // Another operator who was given the id of one that was removed.
  if (!resource.enabled || session.expiresAt <= nowSeconds || createdAt > session.createdAt) return false;
  if (subject !== null) return resource.subjects.includes(subject);
  return resource.tokens.some((token) => token.id === tokenId && nowSeconds < token.expiresAt);
}
