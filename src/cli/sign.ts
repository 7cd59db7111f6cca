import type { Command } from 'commander';
import { timeoutOption } from './flags/store-options.ts';
import { type ExitCode, exitCodes, type Terminal } from './terminal.ts';

/** The options of `postern sign`, as commander gives them. */
interface SignOptions {
  readonly header: readonly string[];
  readonly data?: string;
  readonly endpoint: string;
  readonly appKey?: string;
  readonly secretFrom: string;
  readonly signHeader: readonly string[];
  readonly store?: string;
  /** Milliseconds. */
  readonly timeout: number;
}

/** Adds `postern sign`. */
export function registerSign(program: Command, terminal: Terminal, finish: (code: ExitCode) => void): void {
  program
    .command('sign')
    .description('Sign a request as a partner would, and print it as a curl command.')
    .argument('<method>', 'HTTP method')
    .argument('<url>', 'where Envoy takes it, query included')
    .option('-H, --header <header>', 'a header, "Name: value"; repeatable', collect, [])
    .option('-d, --data <data>', 'the body, or @FILE; on parameter-signature endpoints a JSON body is wrapped')
    .requiredOption('--endpoint <id>', 'the endpoint whose method and options to sign for')
    .option('--app-key <key>', 'the App Key; not for key endpoints, where it is the secret')
    .requiredOption(
      '--secret-from <source>',
      'env:NAME, file:PATH or - (standard input): the App Secret, or the App Key of a key endpoint',
    )
    .option('--sign-header <name>', 'hmac: sign this header too; repeatable', collect, [])
    .option('--store <location>', 'where endpoints are kept, instead of POSTERN_STORE; no password')
    .addOption(timeoutOption())
    .addHelpText(
      'after',
      `
Examples:
  $ export ACME_SECRET=…
  $ postern sign GET http://127.0.0.1:10000/invoices --endpoint invoices --app-key K --secret-from env:ACME_SECRET
  $ postern sign POST http://127.0.0.1:10000/orders -H 'Content-Type: application/json' -d @order.json \\
      --endpoint orders --app-key K --secret-from file:secret.txt | sh

Exit codes: 0 done, 1 the gateway would refuse such a request, 2 usage, 3 there is no such endpoint.`,
    )
    .action(async (method: string, url: string, options: SignOptions) => {
      finish(await sign(method, url, options, terminal));
    });
}

async function sign(method: string, url: string, options: SignOptions, terminal: Terminal): Promise<ExitCode> {
  const [{ readRequestArguments }, { readSecretArgument }, { findEndpointInStore }, { signRequest }, { curlCommand }] =
    await Promise.all([
      import('./partner/request-arguments.ts'),
      import('./partner/secret-argument.ts'),
      import('./partner/find-endpoint.ts'),
      import('./partner/sign-request.ts'),
      import('./partner/curl-command.ts'),
    ]);
  const [{ reportFailure }, { UsageError }, { systemClock }, { isRefusal }] = await Promise.all([
    import('./partner/report-failure.ts'),
    import('./partner/usage-error.ts'),
    import('../clock.ts'),
    import('../refusal.ts'),
  ]);
  try {
    if (options.data === '@-' && options.secretFrom === '-') {
      throw new UsageError('both the body and the secret are to come from standard input; put one into a file');
    }
    const endpoint = await findEndpointInStore(
      options.endpoint,
      options.store ?? terminal.environment['POSTERN_STORE'],
      options.timeout,
    );
    const { request, origin } = readRequestArguments({
      method,
      url,
      headers: options.header,
      data: options.data ?? null,
    });
    const signed = signRequest(request, endpoint, {
      appKey: options.appKey ?? null,
      secret: readSecretArgument(options.secretFrom, terminal.environment),
      alsoSigned: options.signHeader,
      nowSeconds: systemClock.nowSeconds(),
    });
    if (isRefusal(signed)) {
      terminal.err.write(
        `postern sign: the gateway would refuse this request with ${signed.refused}: ${signed.detail}\n`,
      );
      return exitCodes.failed;
    }
    terminal.out.write(`${curlCommand(signed, origin)}\n`);
    return exitCodes.done;
  } catch (error) {
    return reportFailure('postern sign', error, terminal);
  }
}

function collect(value: string, values: readonly string[]): readonly string[] {
  return [...values, value];
}
