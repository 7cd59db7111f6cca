import { Counter, Gauge, type Registry } from 'prom-client';
import type { IssuerKeysObserver } from '../issuer-keys/fetched-issuer-keys.ts';
import { fetchFailures } from '../issuer-keys/fetch-failure.ts';
import type { Logger } from './logger.ts';

/** What became of a fetch: a label of metrics. */
const results = ['fetched', 'defect', ...fetchFailures] as const;

/** Logs and counts fetches of the keys of issuers (interfaces §6). Labels hold ids of issuers of the store only. */
export function createIssuerKeysObserver(
  logger: Logger,
  registry: Registry,
  agesSeconds: () => Readonly<Record<string, number>>,
): IssuerKeysObserver {
  const registers = [registry];
  const fetches = new Counter({
    name: 'postern_issuer_key_fetches_total',
    help: 'Fetches of the keys of an issuer, by result: fetched, or why they could not be.',
    labelNames: ['issuer', 'result'],
    registers,
  });
  new Gauge({
    name: 'postern_issuer_keys_age_seconds',
    help: 'Time since the keys of an issuer in force were last fetched.',
    labelNames: ['issuer'],
    registers,
    collect() {
      this.reset();
      for (const [issuer, seconds] of Object.entries(agesSeconds())) this.set({ issuer }, seconds);
    },
  });
  return {
    fetched(issuer, { keys, faulty, lifeSeconds }, isChanged) {
      fetches.inc({ issuer, result: 'fetched' });
      if (!isChanged) return;
      logger.info('the keys of an issuer were fetched', { issuer, keys: keys.length, faulty, lifeSeconds });
    },
    failed(issuer, { reason, message }, { hasKeys, isFirst }) {
      fetches.inc({ issuer, result: reason });
      if (!isFirst) return;
      const fields = { issuer, reason, detail: message };
      if (hasKeys) logger.error('the keys of an issuer cannot be fetched; those in memory stay in force', fields);
      else logger.error('the keys of an issuer cannot be fetched; its tokens get 503 until they can', fields);
    },
    recovered(issuer) {
      logger.info('the keys of an issuer can be fetched again', { issuer });
    },
    defect(error) {
      logger.error('a defect while the keys of an issuer were fetched', {}, error);
    },
    forgotten(issuer) {
      for (const result of results) fetches.remove({ issuer, result });
    },
  };
}
