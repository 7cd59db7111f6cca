import { concealCredentials } from '../authenticate/conceal.ts';
import type { Granted } from '../limit/limit.ts';
import type { HttpRequest } from '../receive/http-request.ts';
import type { RefusalCode } from '../refusal.ts';
import { allow } from './allow.ts';
import { type Decision, isGranted } from './decision.ts';
import { refusalAnswers } from './refusal-answers.ts';
import { reject } from './refuse.ts';

/** The statuses that `mode: observe` turns into an allow; all others refuse in every mode (spec §4.4). */
const observableStatuses: ReadonlySet<number> = new Set([401, 403, 429]);

/** An encoded `CheckResponse`, and what it says. */
export interface Answer {
  readonly bytes: Buffer;
  /** Whether the request goes upstream. */
  readonly isAllowed: boolean;
  readonly code: RefusalCode | 'ALLOWED';
}

/** Turns a decision into the answer for Envoy. `requestId` names the request in a refusal. */
export function respond(decision: Decision, request: HttpRequest, requestId: string): Answer {
  if (isGranted(decision)) return allowGranted(decision, request);
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
  const bytes = allow({ request, endpoint: routed.endpoint, caller, upstream, reading, code });
  return { bytes, isAllowed: true, code };
}

function allowGranted({ permit, reading }: Granted, request: HttpRequest): Answer {
  const { routed, caller, upstream } = permit.authenticated;
  const bytes = allow({ request, endpoint: routed.endpoint, caller, upstream, reading, code: 'ALLOWED' });
  return { bytes, isAllowed: true, code: 'ALLOWED' };
}
