import { replaceInvisible } from '../document/source-text.ts';
import { Conflict, NotFound } from '../manage/resource-store.ts';
import { StoreUnavailable } from '../store/credential-source.ts';
import { type ExitCode, exitCodes, type Output, type Terminal } from './terminal.ts';

/** The command line was used wrongly; the message says how to use it. Ends a command with exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A change was wished of a declarative file, which only people edit. */
export class FileStoreRefusal extends Error {
  override readonly name = 'FileStoreRefusal';

  constructor(path: string) {
    super(`the store is a file, which commands do not change: edit the file ${path}`);
  }
}

/** Why a store has no answer (`MongodbUnavailable`) although another try, or another server, may have one. */
const PASSING_REASONS: readonly unknown[] = ['unreachable', 'slow', 'no-primary', 'not-initiated'];

/** Tells why a command failed, and gives its exit code (interfaces §5). */
export function reportFailure(command: string, error: unknown, terminal: Pick<Terminal, 'err'>): ExitCode {
  writeSafely(terminal.err, `${command}: ${error instanceof Error ? error.message : String(error)}\n`);
  if (error instanceof UsageError) return exitCodes.usage;
  if (error instanceof NotFound) return exitCodes.notFound;
  if (error instanceof Conflict) return exitCodes.conflict;
  if (isOutcomeUnknown(error)) return exitCodes.unknown;
  return error instanceof StoreUnavailable && canPass(error) ? exitCodes.unreachable : exitCodes.failed;
}

/** Whether a change does not fit into one transaction of the server. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof StoreUnavailable && 'reason' in error && error.reason === 'too-large';
}

/** Whether a change that failed with this may be in force: no server told what became of it. */
export function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof StoreUnavailable && 'reason' in error && error.reason === 'uncertain';
}

/** What an operator has to change, such as rights or a record that was made unreadable, is not an unreachable store. */
function canPass(error: StoreUnavailable): boolean {
  return !('reason' in error) || PASSING_REASONS.includes(error.reason);
}

/** Writes lines that may repeat arguments, settings or names of files: what would change how a terminal shows them is replaced. */
export function writeSafely(output: Pick<Output, 'write'>, text: string): void {
  output.write(text.split('\n').map(replaceInvisible).join('\n'));
}
