import { createHmac, hash, randomBytes } from 'node:crypto';
import type { Clock } from '../../../base/clock.ts';
import type { ResourceStore } from '../../../resources/changes/resource-store.ts';
import { isLive, type SessionStore } from '../../../resources/changes/sessions.ts';
import type { Operator, OperatorToken } from '../../../model/operator.ts';
import { cookieNames, isRandomText, readCookie } from './cookies.ts';

/** After so long without a request a session has ended, in seconds. */
export const IDLE_SECONDS = 30 * 60;
/** After so long it has ended in any case: a working day. */
export const MOST_SECONDS = 12 * 3600;
/** The end is moved in steps, so that few requests write. */
const STEP_SECONDS = 60;
/** 256 bits: nothing to guess, and a fast hash keeps them. */
const ID_BYTES = 32;

/** Who is signed in. */
export interface SignedIn {
  readonly operator: Operator;
  /** Goes into every form; only pages of this session know it. */
  readonly csrfToken: string;
}

/** What a session began with. */
export type Proof = { readonly token: OperatorToken } | { readonly subject: string };

/** What sessions need. */
export interface SessionPorts {
  readonly sessions: SessionStore;
  readonly resources: Pick<ResourceStore, 'find'>;
  readonly clock: Pick<Clock, 'nowSeconds'>;
}

/**
 * Who is signed in to the console. Every request reads session and operator from the store, so that what ended anywhere
 * is refused at once. Rejects with `StoreUnavailable`: then nobody is signed out, and nobody let in.
 */
export class Sessions {
  readonly #ports: SessionPorts;

  constructor(ports: SessionPorts) {
    this.#ports = ports;
  }

  /** Begins a session with a new id, which is given: only its hash is kept. It ends with the token at the latest. */
  async begin(operatorId: string, proof: Proof): Promise<string> {
    const id = randomBytes(ID_BYTES).toString('base64url');
    const createdAt = this.#ports.clock.nowSeconds();
    const tokenId = 'token' in proof ? proof.token.id : null;
    const subject = 'subject' in proof ? proof.subject : null;
    const expiresAt = createdAt + IDLE_SECONDS;
    await this.#ports.sessions.add({ hash: hashOf(id), operatorId, createdAt, expiresAt, tokenId, subject });
    return id;
  }

  /** Who sends a request; null for anyone who is not, or no longer, signed in. */
  async find(request: Request): Promise<SignedIn | null> {
    const { sessions, resources, clock } = this.#ports;
    const id = idOf(request);
    const session = id === null ? null : await sessions.find(hashOf(id));
    const now = clock.nowSeconds();
    if (id === null || session === null) return null;
    const operator = await resources.find('operator', session.operatorId);
    if (operator === null || !isLive(session, operator, now)) return null;
    const end = Math.min(now + IDLE_SECONDS, session.createdAt + MOST_SECONDS);
    if (end >= session.expiresAt + STEP_SECONDS) await sessions.extend(session.hash, end);
    return { operator: operator.resource, csrfToken: formTokenOf(id) };
  }

  /** Ends the session of a request, if there is one. */
  async end(request: Request): Promise<void> {
    const id = idOf(request);
    if (id !== null) await this.#ports.sessions.remove(hashOf(id));
  }
}

function idOf(request: Request): string | null {
  const text = readCookie(request, cookieNames.session);
  return text !== null && isRandomText(text) ? text : null;
}

function hashOf(id: string): string {
  return hash('sha256', id, 'hex');
}

/** Follows from the id, and leads to no other session and not back to the id. */
function formTokenOf(id: string): string {
  return createHmac('sha256', id).update('postern console form').digest('base64url');
}
