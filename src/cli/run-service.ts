import { startSystemTimer, systemClock } from '../base/clock.ts';
import { parseConfig } from '../gateway/config.ts';
import type { ProcessPorts } from '../gateway/parts.ts';
import { writeSafely } from './failure.ts';
import { findDefaultFault, isStoreUnnamed } from './store/open-store.ts';
import { type ExitCode, exitCodes, type Terminal } from './terminal.ts';

/** What runs until it is stopped. Disposing of it stops at once. */
export interface Service extends AsyncDisposable {
  /** Rejects when it cannot begin to work. */
  readonly ready: Promise<void>;
  /** Stops without losing a request; `isHurried` skips what only others wait for. */
  stop(isHurried: boolean): Promise<void>;
}

/** How long after its end something else may still hold the process, in milliseconds. */
const LINGER_MS = 500;

/**
 * Runs a service until a stop signal; a second one ends the process at once. `store` replaces `POSTERN_STORE`; `needs`
 * asks for what only this service cannot do without.
 */
export async function runService(
  terminal: Terminal,
  { store, needs }: { readonly store: string | undefined; readonly needs: { readonly isServing?: boolean } },
  start: (ports: ProcessPorts) => Promise<Service>,
): Promise<ExitCode> {
  const { createLogger, openLogDestination } = await import('../gateway/observe/logger.ts');
  const environment = store === undefined ? terminal.environment : { ...terminal.environment, POSTERN_STORE: store };
  const parsed = parseConfig(environment, needs);
  if ('problems' in parsed) {
    for (const problem of parsed.problems) writeSafely(terminal.err, `${problem}\n`);
    return exitCodes.failed;
  }
  const { config } = parsed;
  if (config.store.kind === 'file' && isStoreUnnamed(store, terminal.environment)) {
    const fault = findDefaultFault(config.store.path);
    if (fault !== null) {
      writeSafely(terminal.err, `postern: ${fault}\n`);
      return exitCodes.failed;
    }
  }
  if (config.store.kind === 'api') {
    writeSafely(terminal.err, `postern: ${needsOwnStore(config.store.origin)}\n`);
    return exitCodes.failed;
  }
  const destination = await openLogDestination(config.logFormat, terminal.out.isTerminal);
  const logger = createLogger(config.logLevel, destination.stream);
  terminal.onCrash((error) => {
    logger.error('a defect of this program ends it', {}, error);
    destination.flush();
    terminal.exit(exitCodes.failed);
  });
  try {
    const service = await start({ config, environment: terminal.environment, clock: systemClock, logger });
    const stopSignal = firstStopSignal(terminal, () => {
      logger.warn('stopped at once by a second signal');
      destination.flush();
      terminal.exit(exitCodes.failed);
    });
    await Promise.race([service.ready, stopSignal]).catch(async (error: unknown) => {
      await service[Symbol.asyncDispose]();
      throw error;
    });
    const { isHurried } = await stopSignal;
    await service.stop(isHurried);
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

/** A process that decides or manages has the store itself. */
function needsOwnStore(origin: string): string {
  return `POSTERN_STORE: ${origin} is a management API, which commands use; a service needs mongodb://HOST:27017/DATABASE`;
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
