import type { OAuth2Observer } from '../oauth2/oauth2-service.ts';
import type { ObserverPorts } from './check-observer.ts';

/** Counts every request to an OAuth2 endpoint, and writes one line for each that is refused, as far as the budget of its error goes. */
export function createOAuth2Observer({ logger, metrics, budget, recordUse }: ObserverPorts): OAuth2Observer {
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
      const { error, status, detail, about } = refusal;
      if (!budget.take(`oauth2 ${error}`)) return;
      logger.info('an OAuth2 request was refused', {
        ...{ requestId, operation, status, error, detail },
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
