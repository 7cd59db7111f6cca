import { type Command, Option } from 'commander';
import { type ExitCode, exitCodes, type Terminal } from './terminal.ts';

const outputFormats = ['table', 'json', 'yaml'] as const;

/** The options of `postern explain`, as commander gives them. */
interface ExplainOptions {
  readonly endpoint: string;
  readonly appKey?: string;
  readonly secretFrom: string;
  readonly at?: string;
  readonly entry?: string;
  readonly store?: string;
  readonly output: (typeof outputFormats)[number];
}

/** Adds `postern explain`. */
export function registerExplain(program: Command, terminal: Terminal, finish: (code: ExitCode) => void): void {
  program
    .command('explain')
    .description('Say what is wrong with a request that is refused, and how to mend it.')
    .argument('<file>', 'the request: a curl command, raw HTTP or a HAR; - for standard input')
    .requiredOption('--endpoint <id>', 'the endpoint that the request is meant for')
    .option('--app-key <key>', 'the App Key; not for key endpoints, where it is the secret')
    .requiredOption(
      '--secret-from <source>',
      'env:NAME, file:PATH or - (standard input): the App Secret, or the App Key of a key endpoint',
    )
    .option('--at <time>', 'when the request was made: 2026-11-21T02:40:00Z, an HTTP date, or seconds since 1970')
    .option('--entry <number>', 'which entry of a HAR, from 1')
    .option('--store <location>', 'where endpoints are kept, instead of POSTERN_STORE')
    .addOption(new Option('-o, --output <format>', 'how to print').choices(outputFormats).default('table'))
    .addHelpText(
      'after',
      `
The request is only read, never sent. Neither the App Secret nor a right signature is printed.

Examples:
  $ export ACME_SECRET=…
  $ postern explain request.txt --endpoint invoices --app-key K --secret-from env:ACME_SECRET
  $ pbpaste | postern explain - --endpoint orders --app-key K --secret-from file:secret.txt -o json

Exit codes: 0 the request is right, or was when it was made, 1 it is wrong, 2 usage, 3 there is no such endpoint.`,
    )
    .action(async (file: string, options: ExplainOptions) => {
      finish(await explainFile(file, options, terminal));
    });
}

async function explainFile(file: string, options: ExplainOptions, terminal: Terminal): Promise<ExitCode> {
  const { reportFailure } = await import('./partner/report-failure.ts');
  try {
    const [{ explainArguments }, { renderExplanation }] = await Promise.all([
      import('./partner/explain-arguments.ts'),
      import('./partner/render-explanation.ts'),
    ]);
    const { explanation, notes } = await explainArguments({
      file,
      endpoint: options.endpoint,
      appKey: options.appKey ?? null,
      secretFrom: options.secretFrom,
      at: options.at ?? null,
      entry: options.entry ?? null,
      store: options.store ?? terminal.environment['POSTERN_STORE'],
      environment: terminal.environment,
    });
    terminal.out.write(await renderExplanation(explanation, notes, options.output));
    return explanation.verdict === 'right' || explanation.verdict === 'right-but-old'
      ? exitCodes.done
      : exitCodes.failed;
  } catch (error) {
    return reportFailure('postern explain', error, terminal);
  }
}
