import { type Command, InvalidArgumentError, Option } from 'commander';
import { systemClock } from '../base/clock.ts';
import { addHelp, type CommandContext } from './command.ts';
import { usesColor } from './render/text.ts';
import { type ExitCode, exitCodes, type Terminal } from './terminal.ts';

/** `npm run` hands a Ctrl-C on that the program got already, so the second signal is not yet a second wish. */
const IMPATIENT_SIGNALS = 3;
const SHOWN_LOG_LINES = 15;
const MIN_PORT_BASE = 1024;
const MAX_PORT_BASE = 65_522;

interface DemoFlags {
  readonly once?: boolean;
  readonly portBase?: number;
  readonly withConsole?: boolean;
  readonly withRatelimit?: boolean;
  readonly withoutConsole?: boolean;
}

/** Adds `postern demo`. */
export function registerDemo(program: Command, context: CommandContext): void {
  const command = program
    .command('demo')
    .description('Show Postern at work: a back end, Envoy and requests, good and bad, in a table.')
    .option('--once', 'end after the table; exit code 0 only when every row is as expected')
    .option(
      '--port-base <port>',
      'use the ports from this one on, fourteen at most, instead of those of envoy.yaml; 0: any free ones',
      parsePortBase,
    )
    .option('--with-ratelimit', "keep limits in Envoy's rate limit service, which is started with Redis")
    .option('--with-console', 'keep endpoints and partners in a MongoDB, which is started too, and serve the console')
    .addOption(
      new Option('--without-console', 'leave the console out also where MongoDB is installed').conflicts('withConsole'),
    );
  addHelp(command, {
    notes: `Downloads Envoy to .services/ if it is missing. With --with-ratelimit it also downloads Redis, and builds the rate limit
service, which needs Go and about two minutes. Runs until Ctrl-C. If MongoDB is installed (scripts/install-services
mongodb), it also serves the console, but not with --once.`,
    examples: ['postern demo', 'postern demo --once --port-base 0', 'postern demo --with-console'],
  });
  command.action(async (flags: DemoFlags) => {
    context.finish(await demo(context.terminal, flags));
  });
}

async function demo(terminal: Terminal, flags: DemoFlags): Promise<ExitCode> {
  const [{ runDemo }, { DemoFailure, DemoInterrupted }, { DemoLogs }] = await Promise.all([
    import('./demo/run-demo.ts'),
    import('./demo/demo-failure.ts'),
    import('./demo/demo-logs.ts'),
  ]);
  const logs = new DemoLogs();
  const signal = interruption(terminal, () => new DemoInterrupted());
  const showLogs = (): void => {
    for (const [title, lines] of logs.ends(SHOWN_LOG_LINES)) {
      terminal.err.write(`\nThe end of the log of ${title}:\n${lines.join('\n')}\n`);
    }
  };
  try {
    const wrong = await runDemo(
      {
        isOnce: flags.once ?? false,
        portBase: flags.portBase ?? null,
        useColor: usesColor(terminal.out, terminal.environment),
        hasRateLimitService: flags.withRatelimit ?? false,
        console: consoleWish(flags),
      },
      {
        out: terminal.out,
        err: terminal.err,
        environment: terminal.environment,
        clock: systemClock,
        signal,
        logs,
      },
    );
    if (wrong > 0) showLogs();
    return wrong === 0 ? exitCodes.done : exitCodes.failed;
  } catch (error) {
    if (error instanceof DemoInterrupted) {
      terminal.err.write('The demo was interrupted.\n');
      return exitCodes.failed;
    }
    if (!(error instanceof DemoFailure)) throw error;
    terminal.err.write(`${error.message}\n`);
    showLogs();
    return exitCodes.failed;
  }
}

/** A demo that ends after its table has no use for a console. */
function consoleWish({ once, withConsole, withoutConsole }: DemoFlags): 'if-there' | 'none' | 'wanted' {
  if (withConsole === true) return 'wanted';
  return once === true || withoutConsole === true ? 'none' : 'if-there';
}

/** Aborted by the first stop signal. */
function interruption(terminal: Terminal, reason: () => Error): AbortSignal {
  const controller = new AbortController();
  let count = 0;
  const stop = (): void => {
    count += 1;
    if (count === 1) controller.abort(reason());
    if (count === IMPATIENT_SIGNALS) terminal.exit(exitCodes.failed);
  };
  terminal.onStopSignal(stop);
  return controller.signal;
}

function parsePortBase(text: string): number {
  const base = /^\d{1,5}$/.test(text) ? Number(text) : -1;
  if (base === 0 || (base >= MIN_PORT_BASE && base <= MAX_PORT_BASE)) return base;
  throw new InvalidArgumentError(`It must be 0, or a port from ${String(MIN_PORT_BASE)} to ${String(MAX_PORT_BASE)}.`);
}
