import { formatProblem } from '../document/problem.ts';
import type { FileObserver } from '../store/file-snapshots.ts';
import type { Logger } from './logger.ts';
import type { Metrics } from './metrics.ts';

/** Says what a declarative file serves, and tells loudly when a change could not be taken. */
export function createFileObserver(logger: Logger, metrics: Metrics): FileObserver {
  return {
    loaded(path, state) {
      metrics.countReload('loaded');
      metrics.announce(state.endpoints);
      logger.info('the declarative file is in force', {
        file: path,
        endpoints: state.endpoints.length,
        consumers: state.consumers.length,
        credentials: state.credentials.length,
        grants: state.grants.length,
      });
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
