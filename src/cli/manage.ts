import type { Command } from 'commander';
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
      const { startManagement } = await import('../management/management.ts');
      const opened = await openStore({
        ...{ command: 'manage', store, environment: terminal.environment, needsSecrets: 'new' },
        timeoutMs: STORE_TIMEOUT_MS,
        warn: (message) => {
          ports.logger.warn(message);
        },
      });
      return await startManagement({ ...ports, store: opened });
    });
    context.finish(code);
  });
}
