import { formatProblem } from '../../document/problem.ts';
import type { RingConflict } from '../../keyring/ring-content.ts';
import { FaultyKeyRing } from '../../keyring/read-key-ring.ts';
import { RingFileFault } from '../../keyring/ring-file.ts';
import { UsageError } from '../partner/usage-error.ts';
import { type ExitCode, exitCodes, type Terminal } from '../terminal.ts';
import { writeSafely } from '../write-safely.ts';

/** A key ring that cannot be changed as asked. */
export class RingNotChanged extends Error {
  override readonly name = 'RingNotChanged';
  readonly kind: RingConflict['kind'];

  constructor(file: string, { kind, message }: RingConflict) {
    super(`${file}: ${message}`);
    this.kind = kind;
  }
}

/** Tells why a command on a key ring failed, and gives its exit code (interfaces §5). */
export function reportRingFailure(command: string, error: unknown, terminal: Pick<Terminal, 'err'>): ExitCode {
  if (error instanceof FaultyKeyRing) {
    for (const problem of error.problems) terminal.err.write(`${formatProblem(problem)}\n`);
    if (!error.isMissing) return exitCodes.failed;
    terminal.err.write('"postern keyring create FILE" makes a key ring\n');
    return exitCodes.notFound;
  }
  writeSafely(terminal.err, `${command}: ${error instanceof Error ? error.message : String(error)}\n`);
  if (error instanceof UsageError) return exitCodes.usage;
  if (error instanceof RingNotChanged) return error.kind === 'not-found' ? exitCodes.notFound : exitCodes.conflict;
  return error instanceof RingFileFault && error.kind === 'conflict' ? exitCodes.conflict : exitCodes.failed;
}
