import type { WriteObserver } from '../../base/batch-writer.ts';
import type { Logger } from './logger.ts';

/** What is logged of everything that is written off the path of checks: that it cannot be, and that it is again. */
export const writeMessages = {
  usage: {
    failed: 'when credentials were used cannot be written; it is kept and tried again',
    works: 'when credentials were used is written again',
  },
  traffic: {
    failed: 'counts of requests cannot be written; they are kept and tried again',
    works: 'counts of requests are written again',
  },
  replica: {
    failed: 'this replica cannot report to "postern replicas"; it decides as usual and tries again',
    works: 'this replica reports to "postern replicas" again',
  },
  refusals: {
    failed: 'refusals cannot be written; they are kept as far as there is room, and tried again',
    works: 'refusals are written again',
  },
} as const;

/** Logs that something cannot be written, and that it is written again. */
export function createWriteObserver(logger: Logger, what: keyof typeof writeMessages): WriteObserver {
  const { failed, works } = writeMessages[what];
  return {
    writeFailed: (error) => {
      logger.warn(failed, { reason: error instanceof Error ? error.message : 'unknown' });
    },
    writeWorks: () => {
      logger.info(works);
    },
  };
}
