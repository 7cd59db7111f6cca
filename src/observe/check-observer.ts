import { type Decision, isGranted } from '../respond/decision.ts';
import type { WhichSecret } from '../model/credential.ts';
import type { Endpoint } from '../model/endpoint.ts';
import { printable } from '../printable.ts';
import type { HttpRequest } from '../receive/http-request.ts';
import type { Answer } from '../respond/respond.ts';
import { requestIdOf } from '../respond/request-id.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';

/** Told of every decided check. */
export interface CheckObserver {
  /** `requestId` is null for granted requests, where only a debug line needs it. */
  decided(decided: DecidedCheck): void;
  /** The message was no CheckRequest; the caller got 400. */
  unreadable(requestId: string): void;
  /** The program itself was wrong; the caller got 500. */
  defect(error: unknown, requestId: string): void;
}

/** A check, its decision and its answer. */
export interface DecidedCheck {
  readonly request: HttpRequest;
  readonly decision: Decision;
  readonly answer: Answer;
  readonly requestId: string | null;
  readonly seconds: number;
}

/** Told of every check that was allowed on behalf of a credential (`UsageRecorder`). */
export type RecordUse = (credentialId: string, secret: WhichSecret) => void;

/**
 * Counts every check and writes one line for each refusal; allowed requests are told at debug level only. `recordUse`
 * is null where nobody keeps when credentials were used.
 */
export function createCheckObserver(
  logger: Logger,
  metrics: Metrics,
  recordUse: RecordUse | null = null,
): CheckObserver {
  return {
    decided({ request, decision, answer, requestId, seconds }) {
      const routed = isGranted(decision) ? decision.permit.authenticated.routed : decision.routed;
      const endpoint = routed?.endpoint ?? null;
      metrics.countCheck(endpoint, answer.code, seconds);
      if (!isGranted(decision)) {
        logger.info(answer.isAllowed ? 'let through by observe mode' : 'refused', {
          requestId,
          code: answer.code,
          detail: decision.refusal.detail,
          ...describe(request, endpoint),
          consumer: decision.authenticated?.caller?.consumer.id ?? null,
        });
        return;
      }
      const { caller, secret } = decision.permit.authenticated;
      if (recordUse !== null && caller !== null) recordUse(caller.credential.id, secret);
      if (logger.isDebug) {
        logger.debug('allowed', {
          requestId: requestIdOf(request),
          ...describe(request, endpoint),
          consumer: caller?.consumer.id ?? null,
        });
      }
    },
    unreadable(requestId) {
      metrics.countRefusal('MALFORMED_REQUEST');
      logger.warn('refused: the message is no CheckRequest', { requestId, code: 'MALFORMED_REQUEST' });
    },
    defect(error, requestId) {
      metrics.countRefusal('INTERNAL');
      logger.error('a check failed by a defect of this program; the caller got 500', { requestId }, error);
    },
  };
}

/** The path without its query, which may hold an App Key. */
function describe(request: HttpRequest, endpoint: Endpoint | null): { endpoint: string | null; request: string } {
  const [path = ''] = request.path.split(/[?#]/, 1);
  return { endpoint: endpoint?.id ?? null, request: `${printable(request.method)} ${printable(path)}` };
}
