import type { CommandContext } from '../command-context.ts';
import { reportFailure } from '../partner/report-failure.ts';
import type { ExitCode } from '../terminal.ts';
import type { OpenedStore } from './open-store.ts';

/** How {@link useStore} opens the store. */
export interface StoreUse {
  /** The command in messages, and in the audit trail: `consumer disable`. */
  readonly command: string;
  readonly store: string | undefined;
  readonly needsSecrets: boolean;
}

/** Opens the store for a piece of work, and closes it whatever comes of it. Faults become exit codes with a message. */
export async function useStore(
  { openStore, terminal }: CommandContext,
  { command, store, needsSecrets }: StoreUse,
  work: (store: OpenedStore) => Promise<ExitCode>,
): Promise<ExitCode> {
  try {
    const warn = (message: string): void => {
      terminal.err.write(`warning: ${message}\n`);
    };
    await using opened = await openStore({ store, environment: terminal.environment, needsSecrets, warn });
    return await work(opened);
  } catch (error) {
    return reportFailure(`postern ${command}`, error, terminal);
  }
}
