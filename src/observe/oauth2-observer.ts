import type { OAuth2Observer } from '../oauth2/oauth2-service.ts';
import type { RecordUse } from './check-observer.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';

/** Counts every request to an OAuth2 endpoint, and writes one line for each that is refused. `recordUse` as in `createCheckObserver`. */
export function createOAuth2Observer(
  logger: Logger,
  metrics: Metrics,
  recordUse: RecordUse | null = null,
): OAuth2Observer {
  return {
    used(credentialId, secret) {
      recordUse?.(credentialId, secret);
    },
    answered(operation, refusal, requestId) {
      metrics.countOAuth2Request(operation, refusal?.error ?? 'ok');
      if (refusal === null) {
        if (logger.isDebug) logger.debug('an OAuth2 request was answered', { requestId, operation });
        return;
      }
      const { error, status, detail } = refusal;
      logger.info('an OAuth2 request was refused', { requestId, operation, status, error, detail });
    },
    defect(error, requestId) {
      logger.error('an OAuth2 request failed by a defect of this program; the client got 500', { requestId }, error);
    },
  };
}
