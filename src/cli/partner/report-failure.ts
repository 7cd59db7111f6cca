import { NotFound } from '../../manage/not-found.ts';
import { Conflict } from '../../manage/resource-store.ts';
import { StoreUnavailable } from '../../store/credential-source.ts';
import { type ExitCode, exitCodes, type Terminal } from '../terminal.ts';
import { EndpointNotFound } from './find-endpoint.ts';
import { UsageError } from './usage-error.ts';
import { writeSafely } from '../write-safely.ts';

/** Why a store has no answer (`MongodbUnavailable`) although another try, or another server, may have one. */
const PASSING_REASONS: readonly unknown[] = ['unreachable', 'slow', 'no-primary', 'not-initiated'];

/** Tells why a command failed, and gives its exit code (interfaces §5). */
export function reportFailure(command: string, error: unknown, terminal: Pick<Terminal, 'err'>): ExitCode {
  writeSafely(terminal.err, `${command}: ${error instanceof Error ? error.message : String(error)}\n`);
  if (error instanceof UsageError) return exitCodes.usage;
  if (error instanceof NotFound || error instanceof EndpointNotFound) return exitCodes.notFound;
  if (error instanceof Conflict) return exitCodes.conflict;
  if (isOutcomeUnknown(error)) return exitCodes.unknown;
  return error instanceof StoreUnavailable && canPass(error) ? exitCodes.unreachable : exitCodes.failed;
}

/** Whether a change that failed with this may be in force: no server told what became of it. */
export function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof StoreUnavailable && 'reason' in error && error.reason === 'uncertain';
}

/** What an operator has to change, such as rights or a record that was made unreadable, is not an unreachable store. */
function canPass(error: StoreUnavailable): boolean {
  return !('reason' in error) || PASSING_REASONS.includes(error.reason);
}
