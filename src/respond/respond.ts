import { concealCredentials } from '../methods/authenticate.ts';
import type { Granted } from '../limit/limit.ts';
import { observableStatuses, type RefusalCode, refusalAnswers } from '../refusal.ts';
import { allow } from './allow.ts';
import { type Decision, isGranted } from './decision.ts';
import { reject } from './refuse.ts';

/** An encoded `CheckResponse`, and what it says. */
export interface Answer {
  readonly bytes: Buffer;
  /** Whether the request goes upstream. */
  readonly isAllowed: boolean;
  readonly code: RefusalCode | 'ALLOWED';
}

/** Turns a decision into the answer for Envoy. `requestId` names the request in a refusal. */
export function respond(decision: Decision, requestId: string): Answer {
  if (isGranted(decision)) return allowGranted(decision);
  const { refusal, routed, authenticated } = decision;
  const caller = authenticated?.caller ?? null;
  const code = refusal.refused;
  if (
    routed === null ||
    routed.endpoint.options.mode !== 'observe' ||
    !observableStatuses.has(refusalAnswers[code].status)
  ) {
    const bytes = reject({ refusal, requestId, endpoint: routed?.endpoint ?? null, caller });
    return { bytes, isAllowed: false, code };
  }
  const upstream = authenticated?.upstream ?? concealCredentials(routed);
  const reading = refusal.exceeded?.reading ?? null;
  const bytes = allow({
    forgedHeaders: routed.received.forgedHeaders,
    endpoint: routed.endpoint,
    caller,
    upstream,
    reading,
    code,
  });
  return { bytes, isAllowed: true, code };
}

function allowGranted({ permit, reading }: Granted): Answer {
  const { routed, caller, upstream } = permit.authenticated;
  const { forgedHeaders } = routed.received;
  const bytes = allow({ forgedHeaders, endpoint: routed.endpoint, caller, upstream, reading, code: 'ALLOWED' });
  return { bytes, isAllowed: true, code: 'ALLOWED' };
}
