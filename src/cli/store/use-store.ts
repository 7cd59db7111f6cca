import type { CommandContext } from '../command-context.ts';
import { reportFailure } from '../partner/report-failure.ts';
import type { ExitCode } from '../terminal.ts';
import type { OpenedStore, SecretsNeeded } from './open-store.ts';

/** How {@link useStore} opens the store. */
export interface StoreUse {
  /** The command in messages, and in the audit trail: `consumer disable`. */
  readonly command: string;
  readonly store: string | undefined;
  readonly needsSecrets: SecretsNeeded;
  /** `--timeout`: how long each answer of a database is waited for, in milliseconds. */
  readonly timeout: number;
}

/** Opens the store for a piece of work, and closes it whatever comes of it. Faults become exit codes with a message. */
export async function useStore(
  { openStore, terminal }: CommandContext,
  { command, store, needsSecrets, timeout }: StoreUse,
  work: (store: OpenedStore) => Promise<ExitCode>,
): Promise<ExitCode> {
  try {
    const warn = (message: string): void => {
      terminal.err.write(`warning: ${message}\n`);
    };
    const { environment } = terminal;
    await using opened = await openStore({ command, store, environment, needsSecrets, timeoutMs: timeout, warn });
    return await work(opened);
  } catch (error) {
    return reportFailure(`postern ${command}`, error, terminal);
  }
}
