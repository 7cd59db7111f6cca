import { Command, CommanderError, Option } from 'commander';
import { addHelp, attachTo, type CommandContext, refuseRepeated } from '../../../src/cli/command.ts';
import { reportFailure } from '../../../src/cli/failure.ts';
import { outputOption } from '../../../src/cli/flags/options.ts';
import { parseTime } from '../../../src/cli/flags/times.ts';
import { collectOption, parseCount, parseRequestId } from '../../../src/cli/flags/values.ts';
import { explainFile, type ExplainFlags } from '../../../src/cli/partner/explain-request.ts';
import { type ExitCode, exitCodes, type Terminal } from '../../../src/cli/terminal.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { authenticationMethods } from '../../../src/model/endpoint.ts';
import { readVersion } from './version.ts';

const NAME = 'postern-explain';

/** Runs `postern-explain` with its arguments and gives the exit code. */
export async function runExplain(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  let exitCode: ExitCode = exitCodes.done;
  const context: CommandContext = {
    terminal,
    clock: systemClock,
    // Asked for only without --method, which commander requires.
    openStore: () => Promise.reject(new Error('this command has no store')),
    finish: (code) => {
      exitCode = code;
    },
  };
  const program = createProgram(context);
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    return reportFailure(NAME, error, terminal);
  }
}

/** The flags of `postern explain` that need no store, and its action. */
function createProgram(context: CommandContext): Command {
  const { terminal } = context;
  const program = attachTo(terminal, new Command(NAME))
    .description('Say what is wrong with a request that an API behind Postern refused, and how to fix it.')
    .argument('<file>', 'the request: a curl command, raw HTTP or a HAR; - for standard input')
    .addOption(
      new Option('--method <method>', 'how the API authenticates').choices(authenticationMethods).makeOptionMandatory(),
    )
    .option('--option <name=value>', 'an option of the API, such as clockSkewSeconds=60; repeatable', collectOption)
    .option(
      '--app-key <key>',
      'your App Key; without it, the one that was sent. Not for key APIs, where it is the secret',
    )
    .option(
      '--secret-from <source>',
      'env:NAME, file:PATH or - (standard input): your App Secret, or your App Key of a key API',
    )
    .option(
      '--public-key <file>',
      'for http-message-signature: your public key, PEM or JWK, or a JWK set; - for standard input',
    )
    .option('--kid <id>', 'which key of the set of --public-key')
    .option(
      '--body <file>',
      'the body of the request, where <file> does not hold it, such as that of curl -d @order.json; - for standard input',
    )
    .option(
      '--at <time>',
      'when the request was made: 2026-11-21T02:40:00Z, an HTTP date, or seconds since 1970',
      parseTime,
    )
    .option('--entry <number>', 'which entry of a HAR, from 1', parseCount)
    .option(
      '--request-id <id>',
      'the requestId of the refusal; read from the answer if <file> holds it',
      parseRequestId,
    )
    .addOption(outputOption())
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help');
  addHelp(program, {
    notes: `Everything happens on this machine: the request is only read, never sent, and nothing else is; it may have 1 MiB.
Files that it names are not read. No App Secret, right signature or token is printed. An App Secret is needed but for
oauth2, and for http-message-signature, which takes the public key.`,
    examples: [
      `export APP_SECRET=…`,
      `${NAME} request.txt --method hmac --secret-from env:APP_SECRET`,
      `pbpaste | ${NAME} - --method parameter-signature --secret-from file:secret.txt -o json`,
    ],
    exits: { done: 'the request is right, or was when it was made', failed: 'it is wrong or cannot be judged' },
  });
  refuseRepeated(program);
  return program.action(async (file: string, flags: Omit<ExplainFlags, 'timeout'>) => {
    try {
      // A store would have the timeout; there is none.
      context.finish(await explainFile({ ...flags, file, timeout: 0 }, context));
    } catch (error) {
      context.finish(reportFailure(NAME, error, terminal));
    }
  });
}
