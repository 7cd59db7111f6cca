import { replaceInvisible } from '../model/document/source-text.ts';
import { Conflict, NotFound } from '../resources/changes/resource-store.ts';
import { isOutcomeUnknown, mayPass } from '../resources/changes/store-fault.ts';
import { type ExitCode, exitCodes, type Output, type Terminal } from './terminal.ts';

/** The command line was used wrongly; the message says how to use it. Ends a command with exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Why a store is its default, a file of this folder. */
export const STORE_UNNAMED = 'POSTERN_STORE is not set, and so is its default, file:postern.yaml';

/** A command would change a declarative file, which only people edit. */
export class FileStoreRefusal extends Error {
  override readonly name = 'FileStoreRefusal';

  /** @param isUnnamed whether it is the default, because nothing names a store */
  constructor(path: string, isUnnamed = false) {
    const why = isUnnamed ? `${STORE_UNNAMED}; ` : '';
    super(`${why}the store is a file, which commands do not change: edit the file ${path}`);
  }
}

/** Prints why a command failed, and gives its exit code (interfaces §5). */
export function reportFailure(command: string, error: unknown, terminal: Pick<Terminal, 'err'>): ExitCode {
  writeSafely(terminal.err, `${command}: ${error instanceof Error ? error.message : String(error)}\n`);
  if (error instanceof UsageError) return exitCodes.usage;
  if (error instanceof NotFound) return exitCodes.notFound;
  if (error instanceof Conflict) return exitCodes.conflict;
  if (isOutcomeUnknown(error)) return exitCodes.unknown;
  return mayPass(error) ? exitCodes.unreachable : exitCodes.failed;
}

/** Writes lines that may repeat arguments, settings or file names, without what a terminal would obey. */
export function writeSafely(output: Pick<Output, 'write'>, text: string): void {
  output.write(text.split('\n').map(replaceInvisible).join('\n'));
}
