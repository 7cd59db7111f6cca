import { hash, randomBytes } from 'node:crypto';
import type { ResourceStore } from '../../resources/changes/resource-store.ts';
import { isLive, type SessionStore } from '../../resources/changes/sessions.ts';
import type { Operator } from '../../model/operator.ts';
import { Secret } from '../../model/secret.ts';
import type { Proof } from './proof.ts';

/** So long a session of a command lasts. A longer one begins with another ID token: the provider is asked again. */
export const SESSION_SECONDS = 3600;
/** Finds leaked ones, and makes the token of a command something else than the cookie of a browser. */
const PREFIX = 'pos_';
/** 256 bits: nothing to guess, and a fast hash keeps them. */
const TOKEN_BYTES = 32;
const TOKEN_PATTERN = /^pos_[A-Za-z0-9_-]{43}$/;

/** What finding and beginning sessions needs. */
export interface SessionTokenPorts {
  readonly sessions: SessionStore;
  readonly resources: Pick<ResourceStore, 'find'>;
  readonly nowSeconds: () => number;
}

/** Whether a text has the form of a session's token. */
export function isSessionToken(text: string): boolean {
  return TOKEN_PATTERN.test(text);
}

/** Begins the session of an operator with this subject. Gives its end, and its token, of which a hash is kept. */
export async function beginSession(
  operatorId: string,
  subject: string,
  { sessions, nowSeconds }: Pick<SessionTokenPorts, 'sessions' | 'nowSeconds'>,
): Promise<{ readonly token: Secret; readonly expiresAt: number }> {
  const text = `${PREFIX}${randomBytes(TOKEN_BYTES).toString('base64url')}`;
  const createdAt = nowSeconds();
  const expiresAt = createdAt + SESSION_SECONDS;
  await sessions.add({ hash: hashOf(text), operatorId, createdAt, expiresAt, tokenId: null, subject });
  return { token: Secret.fromText(text), expiresAt };
}

/** Whose session a token is; null when there is none, or none that lives. */
export async function findSession(
  text: string,
  { sessions, resources, nowSeconds }: SessionTokenPorts,
): Promise<{ readonly operator: Operator; readonly proof: Proof } | null> {
  const session = await sessions.find(hashOf(text));
  if (session === null) return null;
  const operator = await resources.find('operator', session.operatorId);
  if (operator === null || !isLive(session, operator, nowSeconds())) return null;
  return {
    operator: operator.resource,
    proof: { by: 'session', hash: session.hash, expiresAt: session.expiresAt },
  };
}

function hashOf(text: string): string {
  return hash('sha256', text, 'hex');
}
