import { findUnserved } from '../authenticate/unserved.ts';
import { formatProblem } from '../document/problem.ts';
import type { Endpoint } from '../model/endpoint.ts';
import type { FileObserver } from '../store/file-snapshots.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';

/** Says what a declarative file serves, names what this version cannot serve, and tells loudly when a change could not be taken. */
export function createFileObserver(logger: Logger, metrics: Metrics): FileObserver {
  return {
    loaded(path, state) {
      metrics.countReload('loaded');
      logger.info('the declarative file is in force', {
        file: path,
        endpoints: state.endpoints.length,
        consumers: state.consumers.length,
        credentials: state.credentials.length,
        grants: state.grants.length,
      });
      warnOfUnserved(logger, state.endpoints);
    },
    refused(path, problems) {
      metrics.countReload('refused');
      logger.error('the declarative file is wrong; the last good state stays in force until it is mended', {
        file: path,
        problems: problems.map(formatProblem),
      });
    },
    defect(path, error) {
      logger.error('the declarative file could not be followed, by a defect of this program', { file: path }, error);
    },
  };
}

/** Names endpoints whose callers this version cannot judge. */
export function warnOfUnserved(logger: Logger, endpoints: readonly Endpoint[]): void {
  for (const endpoint of endpoints) {
    const reason = findUnserved(endpoint);
    if (reason === null) continue;
    logger.warn('an endpoint refuses every request with 503', { endpoint: endpoint.id, reason });
  }
}
