import { concealCredentials } from '../methods/authenticate.ts';
import type { Authenticated } from '../methods/authenticated.ts';
import { challengeFields, challengeOf } from '../methods/methods.ts';
import type { Granted } from '../limit/limit.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import { observableStatuses, type Refusal, refusalAnswers, type RefusalCode } from '../refusal.ts';
import type { Routed } from '../route/route.ts';
import { describeStringToSign } from '../signing/string-to-sign-hint.ts';
import type { HeldCredential } from '../store/credential-source.ts';
import { allow } from './allow.ts';
import { decisionMetadata, fieldsOf, limitHeaders } from './answer-fields.ts';
import { deniedResponse, type Header } from './check-response.ts';

/** A request that was stopped, with how far it came. */
export interface Stopped {
  readonly refusal: Refusal;
  readonly routed: Routed | null;
  readonly authenticated: Authenticated | null;
}

/** What the pipeline found: every stage let the request through, or one stopped it. */
export type Decision = Granted | Stopped;

/** Whether every stage let the request through. */
export function isGranted(decision: Decision): decision is Granted {
  return 'permit' in decision;
}

/** An encoded `CheckResponse`, and what it says. */
export interface Answer {
  readonly bytes: Buffer;
  readonly isAllowed: boolean;
  readonly code: RefusalCode | 'ALLOWED';
}

const UNAUTHORIZED = 401;

/** Turns a decision into the answer for Envoy. `requestId` names the request in a refusal. */
export function respond(decision: Decision, requestId: string): Answer {
  if (isGranted(decision)) {
    const { permit, reading } = decision;
    const { routed, caller, upstream } = permit.authenticated;
    const { forgedHeaders } = routed.received;
    const bytes = allow({ forgedHeaders, endpoint: routed.endpoint, caller, upstream, reading, code: 'ALLOWED' });
    return { bytes, isAllowed: true, code: 'ALLOWED' };
  }
  const { refusal, routed, authenticated } = decision;
  const caller = authenticated?.caller ?? null;
  const code = refusal.refused;
  if (routed?.endpoint.options.mode !== 'observe' || !observableStatuses.has(refusalAnswers[code].status)) {
    const fields =
      routed === null || refusalAnswers[code].status !== UNAUTHORIZED ? [] : challengeFields(routed, requestId);
    return { bytes: reject(refusal, requestId, routed?.endpoint, caller, fields), isAllowed: false, code };
  }
  const { endpoint, received } = routed;
  const upstream = authenticated?.upstream ?? concealCredentials(routed);
  const reading = refusal.exceeded?.reading ?? null;
  const bytes = allow({ forgedHeaders: received.forgedHeaders, endpoint, caller, upstream, reading, code });
  return { bytes, isAllowed: true, code };
}

/**
 * Writes the refusal that Envoy sends to the caller: status, JSON body, challenge and limit headers (spec §5). `fields`
 * are the headers that the method adds to its challenge.
 */
export function reject(
  refusal: Refusal,
  requestId: string,
  endpoint: Endpoint | null = null,
  caller: HeldCredential | null = null,
  fields: readonly Header[] = [],
): Buffer {
  const { refused, exceeded, stringToSign } = refusal;
  const { status, message } = refusalAnswers[refused];
  const headers: Header[] = [
    ['content-type', 'application/json'],
    ['cache-control', 'no-store'],
  ];
  const challenge = challengeOf(endpoint);
  const error = challenge.errors[refused];
  if (status === UNAUTHORIZED || error !== undefined) {
    const explained = error === undefined ? '' : `, error="${error}", error_description="${message}"`;
    headers.push(['www-authenticate', `${challenge.scheme} realm="postern"${explained}`]);
  }
  headers.push(...fields);
  if (exceeded !== undefined) {
    headers.push(['retry-after', String(exceeded.retryAfterSeconds)]);
    if (exceeded.reading !== null) headers.push(...limitHeaders(exceeded.reading));
  }
  const hint = stringToSign === undefined ? {} : { stringToSign: describeStringToSign(stringToSign) };
  const body = JSON.stringify({ code: refused, message, requestId, ...hint });
  return deniedResponse(status, headers, body, decisionMetadata(refused, endpoint, fieldsOf(caller)));
}
