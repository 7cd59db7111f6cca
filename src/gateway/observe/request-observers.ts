import type { CheckObserver } from '../serving/check-handler.ts';
import { type Decision, isGranted } from '../../check/respond/respond.ts';
import type { WhichSecret } from '../../model/credential.ts';
import { callerOf } from '../oauth2/messages.ts';
import type { OAuth2Observer } from '../oauth2/oauth2-service.ts';
import { printable } from '../../base/text/printable.ts';
import type { HttpRequest } from '../../check/receive/http-request.ts';
import { sourceAddressOf } from '../../check/receive/source-address.ts';
import { type Refusal, refusalAnswers } from '../../check/refusal.ts';
import type { UnmatchedKind } from '../../check/refusals/describe-refusal.ts';
import type { RecordRefusal } from '../../check/refusals/refusal-recorder.ts';
import { requestIdOf } from '../../check/receive/request-id.ts';
import type { HeldCredential } from '../../check/store/credential-source.ts';
import type { LineBudget } from './line-budget.ts';
import type { LogFields, Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';

/** Called for every check that was allowed on behalf of a credential (`UsageRecorder`). */
export type RecordUse = (credentialId: string, secret: WhichSecret) => void;

/**
 * Called for every check that was decided for an endpoint, with the time that it took; `consumerId` is null for callers
 * who are not known.
 */
export type CountTraffic = (endpointId: string, consumerId: string | null, code: string, seconds: number) => void;

/** What logging and counting requests needs. */
export interface ObserverPorts {
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Which refusals get a line; all of them are counted. */
  readonly budget: Pick<LineBudget, 'take'>;
  /** Null where the use of credentials is not recorded. */
  readonly recordUse: RecordUse | null;
  /** Takes what is refused to known callers; null where refusals are not kept. */
  readonly recordRefusal: RecordRefusal | null;
}

/** What logging and counting checks needs. */
export interface CheckObserverPorts extends ObserverPorts {
  readonly countTraffic: CountTraffic;
}

/**
 * Counts every check and writes one line for each refusal, as far as the budget of its code goes; allowed requests are
 * logged at debug level only.
 */
export function createCheckObserver(ports: CheckObserverPorts): CheckObserver {
  const { logger, metrics, budget, recordUse, recordRefusal, countTraffic } = ports;
  return {
    decided({ request, decision, answer, requestId, seconds }) {
      const routed = isGranted(decision) ? decision.permit.authenticated.routed : decision.routed;
      const endpoint = routed?.endpoint ?? null;
      const { code, isAllowed } = answer;
      metrics.countCheck(endpoint, code, seconds);
      const known = knownCallerOf(decision);
      if (endpoint !== null) countTraffic(endpoint.id, known?.consumer.id ?? null, code, seconds);
      if (!isGranted(decision)) {
        const { refusal } = decision;
        // Null where it must not show whether the caller is known; undefined where that was not looked at.
        const unmatched = routed === null ? unmatchedKindOf(refusal) : null;
        if (recordRefusal !== null && (known !== null || refusal.about === null || unmatched !== null)) {
          recordRefusal({
            about: known,
            unmatched,
            requestId,
            request,
            code,
            detail: refusal.detail,
            endpoint,
            isObserved: isAllowed,
            stringToSign: refusal.stringToSign ?? null,
            findSource: () => sourceAddressOf(request),
          });
        }
        if (!budget.take(isAllowed ? `${code} observed` : code)) return;
        logger.info(isAllowed ? 'let through by observe mode' : 'refused', {
          requestId,
          code,
          detail: refusal.detail,
          endpoint: endpoint?.id ?? null,
          ...describe(request),
          ...identify(known),
        });
        return;
      }
      const { caller, secret } = decision.permit.authenticated;
      if (recordUse !== null && caller !== null) recordUse(caller.credential.id, secret);
      if (logger.isDebug) {
        logger.debug('allowed', {
          requestId: requestIdOf(request),
          endpoint: endpoint?.id ?? null,
          ...describe(request),
          ...identify(caller),
        });
      }
    },
    unreadable(requestId) {
      metrics.countRefusal('MALFORMED_REQUEST');
      if (!budget.take('unreadable')) return;
      logger.warn('refused: the message is no CheckRequest', { requestId, code: 'MALFORMED_REQUEST' });
    },
    defect(error, requestId, request) {
      metrics.countRefusal('INTERNAL');
      if (!budget.take('INTERNAL')) return;
      logger.error(
        'a check failed by a defect of this program; the caller got 500',
        { requestId, code: 'INTERNAL', ...describe(request) },
        error,
      );
    },
  };
}

/** Counts every request to an OAuth2 endpoint, and writes one line for each that is refused, as far as the budget
 * of its error goes. */
export function createOAuth2Observer(ports: ObserverPorts): OAuth2Observer {
  const { logger, metrics, budget, recordUse, recordRefusal } = ports;
  return {
    used(credentialId, secret) {
      recordUse?.(credentialId, secret);
    },
    answered({ operation, request, requestId, authentication, refusal }) {
      const outcome = refusal?.error ?? 'ok';
      metrics.countOAuth2Request(operation, outcome);
      if (authentication !== null) metrics.countOAuth2Client(authentication, outcome);
      if (refusal === null) {
        if (logger.isDebug) logger.debug('an OAuth2 request was answered', { requestId, operation, authentication });
        return;
      }
      const { error, status, detail, about } = refusal;
      if (recordRefusal !== null && about !== undefined) {
        const { method, target: path } = request;
        recordRefusal({
          about,
          unmatched: null,
          requestId,
          request: { method, path },
          code: error,
          detail,
          endpoint: null,
          isObserved: false,
          stringToSign: null,
          findSource: () => callerOf(request),
        });
      }
      if (!budget.take(`oauth2 ${error}`)) return;
      logger.info('an OAuth2 request was refused', {
        requestId,
        operation,
        authentication,
        status,
        error,
        detail,
        consumer: about?.consumer.id ?? null,
        credential: about?.credential.id ?? null,
      });
    },
    defect(error, requestId) {
      if (!budget.take('oauth2 defect')) return;
      logger.error('an OAuth2 request failed by a defect of this program; the client got 500', { requestId }, error);
    },
  };
}

/** Of a request that led to no endpoint; null where the store, and not the request, is at fault. */
function unmatchedKindOf({ refused, isNearMiss }: Refusal): UnmatchedKind | null {
  if (refusalAnswers[refused].status >= SERVER_ERROR) return null;
  return isNearMiss === true ? 'near' : 'stray';
}

const SERVER_ERROR = 500;

/** Who called, as far as it is known: also one whose credentials were refused. */
function knownCallerOf(decision: Decision): HeldCredential | null {
  if (isGranted(decision)) return decision.permit.authenticated.caller;
  return decision.authenticated?.caller ?? decision.refusal.about ?? null;
}

function identify(caller: HeldCredential | null): LogFields {
  return { consumer: caller?.consumer.id ?? null, credential: caller?.credential.id ?? null };
}

/** The path without its query, which may hold an App Key. */
function describe(request: HttpRequest): LogFields {
  const [path = ''] = request.path.split(/[?#]/, 1);
  return { request: `${printable(request.method)} ${printable(path)}` };
}
