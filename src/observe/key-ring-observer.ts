import { formatProblem } from '../document/problem.ts';
import type { KeyRingObserver } from '../keyring/key-ring-holder.ts';
import type { Logger } from './logger.ts';

/** Says which keys are in force, what is unwise about them, and tells loudly when a change could not be taken. */
export function createKeyRingObserver(logger: Logger): KeyRingObserver {
  return {
    loaded(source, ring, warnings) {
      logger.info('the key ring is in force', { source, currentKey: ring.currentKeyId, keys: ring.keyIds.length });
      for (const warning of warnings) logger.warn('the key ring needs a look', { source, warning });
    },
    refused(source, problems) {
      logger.error('the key ring is wrong; the last good one stays in force until it is fixed', {
        source,
        problems: problems.map(formatProblem),
      });
    },
    defect(source, error) {
      logger.error('the key ring could not be followed, by a defect of this program', { source }, error);
    },
  };
}
