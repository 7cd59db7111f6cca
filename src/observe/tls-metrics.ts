import { Counter, Gauge, type Registry } from 'prom-client';
import type { Validity } from '../tls/tls-files.ts';

const MS_PER_SECOND = 1000;

/** Metrics of the TLS files in force. Labels hold names of settings only. */
export class TlsMetrics {
  readonly #expiry: Gauge<'setting'>;
  readonly #reloads: Counter<'outcome'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#expiry = new Gauge({
      name: 'postern_tls_certificate_expiry_seconds',
      help: 'When the first certificate of the file that this setting names expires, as seconds since 1970, for the files in force.',
      labelNames: ['setting'],
      registers,
    });
    this.#reloads = new Counter({
      name: 'postern_tls_reloads_total',
      help: 'TLS files that changed while Postern ran, by outcome: loaded, or refused and the former ones stayed in force.',
      labelNames: ['outcome'],
      registers,
    });
  }

  /** These files are in force. */
  showExpiry(validity: readonly Validity[]): void {
    for (const { file, notAfterMs } of validity)
      this.#expiry.set({ setting: file.setting }, notAfterMs / MS_PER_SECOND);
  }

  /** Counts a change of the files. */
  countReload(outcome: 'loaded' | 'refused'): void {
    this.#reloads.inc({ outcome });
  }
}
