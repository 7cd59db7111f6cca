import type { Command } from 'commander';
import type { ProcessPorts } from '../gateway/parts.ts';
import type { KeyRingHolder } from '../model/keyring/key-ring-holder.ts';
import { type CommandContext, addHelp } from './command.ts';
import { runService } from './run-service.ts';

/** How long an answer of the database is waited for: a client of the API waits too. */
const STORE_TIMEOUT_MS = 5000;

/** Adds `postern manage`. */
export function registerManage(program: Command, context: CommandContext): void {
  const command = program
    .command('manage')
    .description('Serve the management API and the console to operators, until SIGTERM or Ctrl-C.')
    .option('--store <location>', 'where resources are kept, instead of POSTERN_STORE; no password');
  addHelp(command, {
    notes: `Settings are environment variables: see "postern config". It needs MongoDB, as a user with the role of operators, and an
operator: "postern operator add". Beyond this machine it serves TLS only.`,
    examples: ['postern operator add alice --role admin', 'POSTERN_LOG_FORMAT=pretty postern manage'],
  });
  command.action(async ({ store }: { store?: string }) => {
    const { openStore, terminal } = context;
    const code = await runService(terminal, { store, needs: {} }, async (ports) => {
      const { startManagement } = await import('../operators/process/management.ts');
      const keyRing = await openKeyRing(ports);
      const opened = await openStore({
        command: 'manage',
        store,
        environment: terminal.environment,
        needsSecrets: 'new',
        ...(keyRing === null ? {} : { sealer: keyRing }),
        timeoutMs: STORE_TIMEOUT_MS,
        warn: (message) => {
          ports.logger.warn(message);
        },
      });
      return await startManagement({ ...ports, store: opened, keyRing });
    });
    context.finish(code);
  });
}

/** The key ring, followed while the process runs; null where none is named, which is refused with what needs it. */
async function openKeyRing({ config, environment, logger }: ProcessPorts): Promise<KeyRingHolder | null> {
  const { KeyRingHolder: Holder } = await import('../model/keyring/key-ring-holder.ts');
  const { createKeyRingObserver } = await import('../gateway/observe/store-observers.ts');
  if (config.keyring === null) return null;
  return await Holder.open(config.keyring, { environment, observer: createKeyRingObserver(logger) });
}
