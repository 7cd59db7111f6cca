import type { OAuth2Observer } from '../oauth2/oauth2-service.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';

/** Counts every request to an OAuth2 endpoint and writes one line for each that is refused. */
export function createOAuth2Observer(logger: Logger, metrics: Metrics): OAuth2Observer {
  return {
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
