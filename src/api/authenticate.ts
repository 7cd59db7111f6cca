import { findToken, operatorOfToken } from '../manage/operator-token.ts';
import type { ResourceStore } from '../manage/resource-store.ts';
import { allows, type Operator, type Permission } from '../model/operator.ts';
import type { Throttle } from '../oauth2/throttle.ts';
import { ApiProblem } from './problem.ts';

/** What a request shows of who sends it. */
export interface Presented {
  /** The field `Authorization`; null without one. */
  readonly authorization: string | null;
  /** The address of the peer, by which guessing is slowed down. */
  readonly source: string;
}

/** What authentication needs. */
export interface AuthenticationPorts {
  readonly resources: Pick<ResourceStore, 'find'>;
  readonly throttle: Throttle;
  readonly nowSeconds: () => number;
}

/** One scheme, in any case, one or more blanks, and the token (RFC 6750 §2.1). */
const BEARER = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;

/**
 * The operator of a bearer token. Every request reads the operator from the store, so that a token that was revoked is
 * refused at once. Throws `ApiProblem` for anything else than a live token of an enabled operator, always the same one.
 */
export async function authenticate(
  { authorization, source }: Presented,
  { resources, throttle, nowSeconds }: AuthenticationPorts,
): Promise<Operator> {
  const wait = throttle.takeRequest(source);
  if (wait !== null) throw tooMany(wait);
  const text = BEARER.exec(authorization ?? '')?.[1];
  const operatorId = text === undefined ? null : operatorOfToken(text);
  if (text === undefined || operatorId === null) throw unauthenticated(authorization === null);
  const secondsLeft = throttle.findWait(source, operatorId);
  if (secondsLeft !== null) throw tooMany(secondsLeft);
  const operator = (await resources.find('operator', operatorId))?.resource ?? null;
  if (operator?.enabled !== true || findToken(operator, text, nowSeconds()) === null) {
    throttle.countFailure(source, operatorId);
    throw unauthenticated(false);
  }
  return operator;
}

/** Throws `FORBIDDEN` where the role does not allow it. */
export function requirePermission(operator: Operator, permission: Permission): void {
  if (allows(operator.role, permission)) return;
  throw new ApiProblem('FORBIDDEN', `the role ${operator.role} does not allow this`);
}

function unauthenticated(isMissing: boolean): ApiProblem {
  const detail = isMissing
    ? 'the request has no Authorization: Bearer with the token of an operator'
    : 'the token is not that of an operator, has ended, or was revoked';
  const challenge = `Bearer realm="postern"${isMissing ? '' : ', error="invalid_token"'}`;
  return new ApiProblem('UNAUTHENTICATED', detail, { headers: { 'www-authenticate': challenge } });
}

function tooMany(retryAfter: number): ApiProblem {
  return new ApiProblem('TOO_MANY_REQUESTS', 'wait before the next request', { retryAfter });
}
