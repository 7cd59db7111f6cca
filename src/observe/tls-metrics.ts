import { Counter, Gauge, type Registry } from 'prom-client';
import type { Validity } from '../tls/tls-files.ts';

const MS_PER_SECOND = 1000;

/** What TLS files are for. */
export type TlsUse = 'listeners' | 'rate-limit-service';

/** Metrics of the TLS files in force. Labels hold names of settings only. */
export class TlsMetrics {
  readonly #expiry: Gauge<'setting'>;
  readonly #reloads: Counter<'outcome'>;
  readonly #isGood: Gauge<'use'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#expiry = new Gauge({
      name: 'postern_tls_certificate_expiry_seconds',
      help: 'When the first certificate of the file that this setting names expires, as seconds since 1970, for the files in force.',
      labelNames: ['setting'],
      registers,
    });
    this.#isGood = new Gauge({
      name: 'postern_tls_last_reload_good',
      help: '0 while changed TLS files that cannot be used leave the former ones in force, 1 otherwise.',
      labelNames: ['use'],
      registers,
    });
    this.#reloads = new Counter({
      name: 'postern_tls_reloads_total',
      help: 'TLS files that changed while Postern ran, by outcome: loaded, or refused and the former ones stayed in force.',
      labelNames: ['outcome'],
      registers,
    });
  }

  /** Whether what is there now is what is in force. */
  setGood(use: TlsUse, isGood: boolean): void {
    this.#isGood.set({ use }, isGood ? 1 : 0);
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
