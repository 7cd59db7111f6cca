import type { CredentialDirectory } from '../../resources/changes/credential-directory.ts';
import type { Logger } from '../../gateway/observe/logger.ts';

/** Has the store note how App Keys of former versions end, beside all else; the next start goes on with the rest. */
export function noteKeyEnds(directory: Pick<CredentialDirectory, 'noteKeyEnds'>, logger: Logger): AsyncDisposable {
  const ending = new AbortController();
  const work = directory.noteKeyEnds(ending.signal).then(
    (noted) => {
      if (noted !== null)
        logger.info('the ends of App Keys are noted, by which people find them', { credentials: noted });
    },
    (error: unknown) => {
      logger.warn('the ends of App Keys are not all noted; the next start goes on', { reason: String(error) });
    },
  );
  return {
    [Symbol.asyncDispose]: async () => {
      ending.abort();
      await work;
    },
  };
}
