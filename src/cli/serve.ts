import type { Command } from 'commander';
import { type CommandContext, addHelp } from './command.ts';
import { runService } from './run-service.ts';

/** Adds `postern serve`. */
export function registerServe(program: Command, context: CommandContext): void {
  const command = program
    .command('serve')
    .description('Decide the requests that Envoy asks about, until SIGTERM or Ctrl-C.')
    .option('--store <location>', 'where resources are kept, instead of POSTERN_STORE; no password');
  addHelp(command, {
    notes: `Settings are environment variables: see "postern config".`,
    examples: ['postern serve --store file:examples/demo/postern.yaml', 'POSTERN_LOG_FORMAT=pretty postern serve'],
  });
  command.action(async ({ store }: { store?: string }) => {
    const wish = { store, needs: { isServing: true } };
    const code = await runService(context.terminal, wish, async (ports) => {
      const { startGateway } = await import('../gateway/gateway.ts');
      return await startGateway(ports);
    });
    context.finish(code);
  });
}
