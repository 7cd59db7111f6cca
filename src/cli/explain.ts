import { type Command, Option } from 'commander';
import { authenticationMethods } from '../model/endpoint.ts';
import { addAction, addHelp, type CommandContext, readExits } from './command.ts';
import { outputOption, timeoutOption } from './flags/options.ts';
import { MAX_INPUT_BYTES } from './flags/read-bytes.ts';
import { parseTime } from './flags/times.ts';
import { collectOption, parseCount, parseIpAddress, parseRequestId } from './flags/values.ts';
import type { ExplainFlags } from './partner/explain-request.ts';
import { adminOption } from './refusals/refusals.ts';

/** Adds `postern explain`. */
export function registerExplain(program: Command, context: CommandContext): void {
  const command = program
    .command('explain')
    .description('Say what is wrong with a refused request, and how to fix it.')
    .argument(
      '[file]',
      'the request: a curl command, raw HTTP or a HAR; - for standard input; without it, --request-id names a refusal that is kept',
    )
    .option(
      '--endpoint <id>',
      'the endpoint that it is meant for; without it, the one that host, path and method match',
    )
    .addOption(
      new Option('--method <method>', 'explain without a store: how the API authenticates')
        .choices(authenticationMethods)
        .conflicts('endpoint'),
    )
    .option('--option <name=value>', 'with --method: an option, such as clockSkewSeconds=60; repeatable', collectOption)
    .option(
      '--app-key <key>',
      'the App Key; without it, the one that was sent. Not for key endpoints, where it is the secret',
    )
    .option(
      '--secret-from <source>',
      'env:NAME, file:PATH or - (standard input): the App Secret, or the App Key of a key endpoint; without it, that of the store',
    )
    .option(
      '--public-key <file>',
      'with --method http-message-signature: the public key, PEM or JWK, or a JWK set; - for standard input',
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
    .addOption(
      new Option('--from <address>', 'the IP address that the request came from, for address lists')
        .argParser(parseIpAddress)
        .conflicts('method'),
    )
    .option('--entry <number>', 'which entry of a HAR, from 1', parseCount)
    .option(
      '--request-id <id>',
      'the requestId of the refusal, to find it among kept refusals and in the log; read from the answer if <file> holds it',
      parseRequestId,
    )
    .addOption(adminOption().conflicts('method'))
    .addOption(
      new Option('--store <location>', 'where endpoints are kept, instead of POSTERN_STORE; no password').conflicts(
        'method',
      ),
    )
    .addOption(timeoutOption())
    .addOption(outputOption());
  addHelp(command, {
    notes: `With a store, the request is judged as "postern serve" does, including credential, consumer and grant, but without limits
and without signatures that were used before. With --method, partners need only the request and the secret,
or for http-message-signature the public key: there no secret is needed. Without FILE, --request-id explains a refusal that is kept ("postern refusals"); with FILE, it compares both. Access tokens are
verified with the POSTERN_KEYRING and the POSTERN_PUBLIC_URL of "postern serve". The request is only read, never sent;
it may have ${String(MAX_INPUT_BYTES / 1024 / 1024)} MiB. Files that it names are not read. No App Secret, correct signature or token is printed.`,
    examples: [
      'postern explain request.txt',
      'postern explain --request-id baac2dab-20a4-46e5-ae98-41a4cbf83ec1',
      'postern explain request.txt --request-id baac2dab-20a4-46e5-ae98-41a4cbf83ec1',
      'export ACME_SECRET=…',
      'postern explain request.txt --method hmac --secret-from env:ACME_SECRET --body order.json',
      'postern explain request.txt --method http-message-signature --public-key acme-public.pem',
      'pbpaste | postern explain - --endpoint orders --app-key K --secret-from file:secret.txt -o json',
    ],
    exits: {
      ...readExits,
      done: 'the request is right, or was when it was made',
      failed: 'it is wrong or cannot be judged',
      notFound: 'there is no such endpoint, or no such refusal is kept',
    },
  });
  addAction(command, context, async (file: string | undefined, flags: ExplainFlags) => {
    if (file === undefined) {
      const { explainKeptRefusal } = await import('./partner/explain-kept.ts');
      return await explainKeptRefusal(flags, context);
    }
    // Judges requests with what a gateway has, which takes long to load.
    const { explainFile } = await import('./partner/explain-request.ts');
    const { findKept } = await import('./partner/explain-kept.ts');
    const { compareWithKept } = await import('../partners/explain/compare-kept.ts');
    return await explainFile({ ...flags, file }, context, { find: findKept, compare: compareWithKept });
  });
}
