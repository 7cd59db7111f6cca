import { findOperator } from '../../resources/changes/find-operator.ts';
import { findToken, operatorOfToken } from '../../resources/changes/operator-token.ts';
import type { ResourceStore } from '../../resources/changes/resource-store.ts';
import type { SessionStore } from '../../resources/changes/sessions.ts';
import { describeLackingRole } from '../../resources/changes/rights/operator-rights.ts';
import { allows, type Operator, type OperatorToken, type Permission } from '../../model/operator.ts';
import type { Throttle } from '../../base/throttle.ts';
import { ApiProblem } from './problem.ts';
import type { Proof } from './proof.ts';
import { tooManyRequests } from './request-shares.ts';
import { findSession, isSessionToken } from './session-token.ts';

/** What a request shows of who sends it. */
export interface Presented {
  /** The field `Authorization`; null without one. */
  readonly authorization: string | null;
  /** The names of the client certificate, for which an authority of the settings vouches; none without one. */
  readonly certificateNames: readonly string[];
  /** Who is counted, by which guessing is slowed down. */
  readonly source: string;
}

/** What finding the holder of a token needs. */
export interface TokenPorts {
  readonly resources: Pick<ResourceStore, 'find'>;
  readonly throttle: Throttle;
  readonly nowSeconds: () => number;
}

/** What authentication needs. */
export interface AuthenticationPorts extends TokenPorts {
  readonly resources: Pick<ResourceStore, 'find' | 'list'>;
  /** Null: commands begin no sessions here. */
  readonly sessions: SessionStore | null;
}

/** Who sends a request, and what shows it. */
export interface Authenticated {
  readonly operator: Operator;
  readonly proof: Proof;
}

/** One scheme, in any case, one or more blanks, and the token (RFC 6750 §2.1). */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/** The same with the three parts of a JWT (RFC 7519 §3), which no token of an operator has. */
const BEARER_JWT = /^bearer +([A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+)$/i;

/** The ID token that a request shows in place of a token of an operator; null for anything else. */
export function idTokenOf({ authorization }: Pick<Presented, 'authorization'>): string | null {
  return BEARER_JWT.exec(authorization ?? '')?.[1] ?? null;
}

/**
 * The operator of a bearer token (an own one, or that of a session), or of a client certificate where there is no
 * `Authorization`: a wrong token is not made good by a certificate. Every request reads the operator from the store, so
 * that what was taken from it is refused at once. Throws `ApiProblem` for anything else than an enabled operator,
 * always the same one.
 */
export async function authenticate(
  { authorization, certificateNames, source }: Presented,
  ports: AuthenticationPorts,
): Promise<Authenticated> {
  if (authorization === null && certificateNames.length > 0) {
    const operator = await findOperator({ certificateNames }, ports.resources);
    if (operator !== null) return { operator, proof: { by: 'certificate' } };
  }
  const text = BEARER.exec(authorization ?? '')?.[1];
  if (text === undefined) throw unauthenticated(authorization === null);
  if (isSessionToken(text)) {
    const { sessions, resources, nowSeconds } = ports;
    const found = sessions === null ? null : await findSession(text, { sessions, resources, nowSeconds });
    if (found === null) throw unauthenticated(false);
    return found;
  }
  const { operator, token } = await authenticateToken(text, source, ports);
  return { operator, proof: { by: 'token', id: token.id, expiresAt: token.expiresAt } };
}

/**
 * The enabled operator whose live token a text is. Throws `ApiProblem`: `UNAUTHENTICATED`, the same one whatever is
 * wrong, or `TOO_MANY_REQUESTS` after too many wrong ones.
 */
export async function authenticateToken(
  text: string,
  source: string,
  { resources, throttle, nowSeconds }: TokenPorts,
): Promise<{ readonly operator: Operator; readonly token: OperatorToken }> {
  const operatorId = operatorOfToken(text);
  if (operatorId === null) throw unauthenticated(false);
  const secondsLeft = throttle.findWait(source, operatorId);
  if (secondsLeft !== null) throw tooManyRequests(secondsLeft);
  const operator = (await resources.find('operator', operatorId))?.resource ?? null;
  const token = operator?.enabled === true ? findToken(operator, text, nowSeconds()) : null;
  if (operator === null || token === null) {
    throttle.countFailure(source, operatorId);
    throw unauthenticated(false);
  }
  return { operator, token };
}

/** Throws `FORBIDDEN`, which names the roles that do, where the role does not allow it. */
export function requirePermission(operator: Operator, permission: Permission): void {
  if (allows(operator.role, permission)) return;
  throw new ApiProblem('FORBIDDEN', describeLackingRole(operator.role, permission));
}

function unauthenticated(isMissing: boolean): ApiProblem {
  const detail = isMissing
    ? 'the request has no Authorization: Bearer with the token of an operator, and no client certificate of one'
    : 'the token is not that of an operator, has ended, or was revoked';
  const challenge = `Bearer realm="postern"${isMissing ? '' : ', error="invalid_token"'}`;
  return new ApiProblem('UNAUTHENTICATED', detail, { headers: { 'www-authenticate': challenge } });
}
