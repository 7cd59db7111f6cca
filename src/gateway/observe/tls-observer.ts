import { Counter, Gauge, type Registry } from 'prom-client';
import type { Clock } from '../../base/clock.ts';
import { DAY_MS, EXPIRY_WARNING_DAYS } from '../../wire/tls/certificates.ts';
import type { TlsFilesObserver } from '../../wire/tls/follow-tls-files.ts';
import { isoTime, type TlsMaterial } from '../../wire/tls/tls-files.ts';
import type { Logger } from './logger.ts';

const MS_PER_SECOND = 1000;

/** Whose TLS files they are: a label of metrics. */
export type TlsUse = 'listeners' | 'rate-limit-service' | 'management' | 'issuer-keys';

/** Metrics of the TLS files in force. Labels hold names of settings only. */
export class TlsMetrics {
  readonly expiry: Gauge<'setting'>;
  readonly reloads: Counter<'outcome'>;
  readonly isGood: Gauge<'use'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.expiry = new Gauge({
      name: 'postern_tls_certificate_expiry_seconds',
      help: 'When the first certificate of the file that this setting names expires, as seconds since 1970, for the files in force.',
      labelNames: ['setting'],
      registers,
    });
    this.isGood = new Gauge({
      name: 'postern_tls_last_reload_good',
      help: '0 while changed TLS files that cannot be used leave the former ones in force, 1 otherwise.',
      labelNames: ['use'],
      registers,
    });
    this.reloads = new Counter({
      name: 'postern_tls_reloads_total',
      help: 'TLS files that changed while Postern ran, by outcome: loaded, or refused and the former ones stayed in force.',
      labelNames: ['outcome'],
      registers,
    });
  }
}

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
  management: {
    taken: 'new connections to the management API take the changed TLS certificate',
    refused: 'the changed TLS files of the management API cannot be used; the certificate in use stays',
  },
  'rate-limit-service': {
    taken: 'the rate limit service is asked with the changed TLS files',
    refused: 'the changed TLS files for the rate limit service cannot be used; those in use stay',
  },
  'issuer-keys': {
    taken: 'the keys of issuers are fetched with the changed authorities',
    refused: 'the changed authorities for the keys of issuers cannot be used; those in use stay',
  },
} as const satisfies Record<TlsUse, object>;

/** What the observer of TLS files writes to, and the clock that certificates expire by. */
export interface TlsObserverPorts {
  readonly logger: Logger;
  readonly metrics: TlsMetrics;
  readonly clock: Pick<Clock, 'nowSeconds'>;
}

/** Logs changes of TLS files, and shows in the metrics when they expire. */
export function createTlsObserver(use: TlsUse, { logger, metrics, clock }: TlsObserverPorts): TlsObserver {
  const inForce = ({ validity }: TlsMaterial): void => {
    metrics.isGood.set({ use }, 1);
    for (const { file, notAfterMs } of validity) {
      metrics.expiry.set({ setting: file.setting }, notAfterMs / MS_PER_SECOND);
      const fields = { setting: file.setting, file: file.path, expiresAt: isoTime(notAfterMs) };
      const leftMs = notAfterMs - clock.nowSeconds() * MS_PER_SECOND;
      if (leftMs <= 0) logger.error('a TLS certificate has expired', fields);
      else if (leftMs < EXPIRY_WARNING_DAYS * DAY_MS) logger.warn('a TLS certificate expires soon', fields);
    }
  };
  return {
    opened: inForce,
    taken: (material) => {
      metrics.reloads.inc({ outcome: 'loaded' });
      logger.info(messages[use].taken);
      inForce(material);
    },
    refused: (reason) => {
      metrics.reloads.inc({ outcome: 'refused' });
      metrics.isGood.set({ use }, 0);
      logger.error(messages[use].refused, { reason });
    },
  };
}
