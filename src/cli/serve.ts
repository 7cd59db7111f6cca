import type { Command } from 'commander';
import { startSystemTimer, systemClock } from '../clock.ts';
import { parseConfig } from '../config.ts';
import { type CommandContext, addHelp } from './command.ts';
import { type ExitCode, exitCodes, type Terminal } from './terminal.ts';
import { writeSafely } from './failure.ts';

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
    context.finish(await serve(context.terminal, store));
  });
}

/** How long after its end something else may still hold the process, in milliseconds. */
const LINGER_MS = 500;

/** Serves until a stop signal; a second one ends the process at once. */
async function serve(terminal: Terminal, store: string | undefined): Promise<ExitCode> {
  const [{ createLogger, openLogDestination }, { startGateway }] = await Promise.all([
    import('../observe/logger.ts'),
    import('../gateway/gateway.ts'),
  ]);
  const parsed = parseConfig(
    store === undefined ? terminal.environment : { ...terminal.environment, POSTERN_STORE: store },
    { isServing: true },
  );
  if ('problems' in parsed) {
    for (const problem of parsed.problems) writeSafely(terminal.err, `${problem}\n`);
    return exitCodes.failed;
  }
  const { config } = parsed;
  const destination = await openLogDestination(config.logFormat, terminal.out.isTerminal);
  const logger = createLogger(config.logLevel, destination.stream);
  terminal.onCrash((error) => {
    logger.error('a defect of this program ends it', {}, error);
    destination.flush();
    terminal.exit(exitCodes.failed);
  });
  try {
    const gateway = await startGateway({
      config,
      environment: terminal.environment,
      clock: systemClock,
      logger,
    });
    const stopSignal = firstStopSignal(terminal, () => {
      logger.warn('stopped at once by a second signal');
      destination.flush();
      terminal.exit(exitCodes.failed);
    });
    await Promise.race([gateway.ready, stopSignal]).catch(async (error: unknown) => {
      await gateway[Symbol.asyncDispose]();
      throw error;
    });
    const { isHurried } = await stopSignal;
    await gateway.stop(isHurried);
    logger.info('stopped');
    // All is closed, but a request to a silent collector of traces lasts until its deadline.
    startSystemTimer(LINGER_MS, () => {
      terminal.exit(exitCodes.done);
    });
    return exitCodes.done;
  } catch (error) {
    writeSafely(terminal.err, `postern: ${error instanceof Error ? error.message : String(error)}\n`);
    return exitCodes.failed;
  } finally {
    destination.flush();
  }
}

async function firstStopSignal(terminal: Terminal, onSecond: () => void): Promise<{ readonly isHurried: boolean }> {
  return await new Promise((resolve) => {
    let count = 0;
    terminal.onStopSignal((signal) => {
      count += 1;
      if (count === 1) resolve(signal);
      else onSecond();
    });
  });
}
