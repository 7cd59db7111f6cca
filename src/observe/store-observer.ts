import { findUnserved } from '../authenticate/unserved.ts';
import { formatProblem, type Problem } from '../document/problem.ts';
import type { StoreState } from '../store/state.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';

/** Told what becomes of the store. `source` names it, such as the path of a declarative file. */
export interface StoreObserver {
  /** A state is in force. */
  loaded(source: string, state: StoreState): void;
  /** What the store holds now is wrong; the last good state stays in force. */
  refused(source: string, problems: readonly Problem[]): void;
  /** The program itself was wrong; the last good state stays in force. */
  defect(source: string, error: unknown): void;
}

/** Says what is served, names what this version cannot serve, and tells loudly when a change could not be taken. */
export function createStoreObserver(logger: Logger, metrics: Metrics): StoreObserver {
  return {
    loaded(source, state) {
      metrics.countReload('loaded');
      logger.info('the declarative file is in force', {
        file: source,
        endpoints: state.endpoints.length,
        consumers: state.consumers.length,
        credentials: state.credentials.length,
        grants: state.grants.length,
      });
      for (const endpoint of state.endpoints) {
        const reason = findUnserved(endpoint);
        if (reason === null) continue;
        logger.warn('an endpoint refuses every request with 503', { endpoint: endpoint.id, reason });
      }
    },
    refused(source, problems) {
      metrics.countReload('refused');
      logger.error('the declarative file is wrong; the last good state stays in force until it is mended', {
        file: source,
        problems: problems.map(formatProblem),
      });
    },
    defect(source, error) {
      logger.error('the declarative file could not be followed, by a defect of this program', { file: source }, error);
    },
  };
}
