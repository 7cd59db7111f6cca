import type { TlsFilesObserver } from '../tls/follow-tls-files.ts';
import { isoTime, type TlsMaterial } from '../tls/tls-files.ts';
import { DAY_MS, EXPIRY_WARNING_DAYS } from '../tls/certificates.ts';
import type { Logger } from './logger.ts';
import type { TlsMetrics, TlsUse } from './tls-metrics.ts';

/** What happens to TLS files, at start and later. */
export interface TlsObserver extends TlsFilesObserver {
  /** They are in force since the start. */
  opened(material: TlsMaterial): void;
}

/** Where TLS is used; each has its own words. */
const messages = {
  listeners: {
    taken: 'new connections take the changed TLS certificate',
    refused: 'the changed TLS files cannot be used; the certificate in use stays',
  },
  'rate-limit-service': {
    taken: 'the rate limit service is asked with the changed TLS files',
    refused: 'the changed TLS files for the rate limit service cannot be used; those in use stay',
  },
} as const satisfies Record<TlsUse, object>;

/** Says what becomes of TLS files, and shows in the metrics when they expire. */
export function createTlsObserver(
  use: TlsUse,
  { logger, metrics, nowMs }: { readonly logger: Logger; readonly metrics: TlsMetrics; readonly nowMs: () => number },
): TlsObserver {
  const inForce = ({ validity }: TlsMaterial): void => {
    metrics.showExpiry(validity);
    metrics.setGood(use, true);
    for (const { file, notAfterMs } of validity) {
      const fields = { setting: file.setting, file: file.path, expiresAt: isoTime(notAfterMs) };
      if (notAfterMs <= nowMs()) logger.error('a TLS certificate has expired', fields);
      else if (notAfterMs - nowMs() < EXPIRY_WARNING_DAYS * DAY_MS) {
        logger.warn('a TLS certificate expires soon', fields);
      }
    }
  };
  return {
    opened: inForce,
    taken: (material) => {
      metrics.countReload('loaded');
      logger.info(messages[use].taken);
      inForce(material);
    },
    refused: (reason) => {
      metrics.countReload('refused');
      metrics.setGood(use, false);
      logger.error(messages[use].refused, { reason });
    },
  };
}
