import { NotFound } from '../../manage/not-found.ts';
import { Conflict } from '../../manage/resource-store.ts';
import { StoreUnavailable } from '../../store/credential-source.ts';
import { type ExitCode, exitCodes, type Terminal } from '../terminal.ts';
import { EndpointNotFound } from './find-endpoint.ts';
import { UsageError } from './usage-error.ts';

/** Tells why a command failed, and gives its exit code (interfaces §5). */
export function reportFailure(command: string, error: unknown, terminal: Pick<Terminal, 'err'>): ExitCode {
  terminal.err.write(`${command}: ${error instanceof Error ? error.message : String(error)}\n`);
  if (error instanceof UsageError) return exitCodes.usage;
  if (error instanceof NotFound || error instanceof EndpointNotFound) return exitCodes.notFound;
  if (error instanceof Conflict) return exitCodes.conflict;
  return error instanceof StoreUnavailable ? exitCodes.unreachable : exitCodes.failed;
}
