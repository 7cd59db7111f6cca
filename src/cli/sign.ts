import type { Command } from 'commander';
import { authenticationMethods, type Endpoint } from '../model/endpoint.ts';
import { methods, proofOf } from '../check/methods/methods.ts';
import { isRefusal } from '../check/refusal.ts';
import { curlCommand } from '../check/signing/curl-command.ts';
import { addAction, addHelp, type CommandContext } from './command.ts';
import { UsageError } from './failure.ts';
import { readRequestArguments, readSecretArgument } from './flags/inputs.ts';
import { type StoreFlags, timeoutOption } from './flags/options.ts';
import { readPrivateKeyFlag } from './flags/private-key.ts';
import { collect } from './flags/values.ts';
import { signRequest } from './partner/sign-request.ts';
import { readFileEndpoints } from './store/file-store.ts';
import { findStore } from './store/open-store.ts';
import { openFor, requireEndpoint, requireResource } from './store/read-store.ts';
import { type ExitCode, exitCodes } from './terminal.ts';

interface SignOptions extends Pick<StoreFlags, 'store' | 'timeout'> {
  readonly header: readonly string[];
  readonly data?: string;
  readonly endpoint: string;
  readonly appKey?: string;
  readonly secretFrom?: string;
  /** A file, or `-`. */
  readonly privateKey?: string;
  readonly signHeader: readonly string[];
}

/** Methods whose callers may sign more headers than they must. */
const signingMore = authenticationMethods.filter((method) => methods[method].signsMoreHeaders);

/** Adds `postern sign`. */
export function registerSign(program: Command, context: CommandContext): void {
  const command = program
    .command('sign')
    .description('Sign a request as a partner would, and print it as a curl command.')
    .argument('<method>', 'HTTP method')
    .argument('<url>', 'where Envoy takes it, query included')
    .option('-H, --header <header>', 'a header, "Name: value"; repeatable', collect, [])
    .option('-d, --data <data>', 'the body, or @FILE; on parameter-signature endpoints a JSON body is wrapped')
    .requiredOption('--endpoint <id>', 'the endpoint whose method and options to sign for')
    .option('--app-key <key>', 'the App Key; not for key endpoints, where it is the secret')
    .option(
      '--secret-from <source>',
      'env:NAME, file:PATH or - (standard input): the App Secret, or the App Key of a key endpoint',
    )
    .option(
      '--private-key <file>',
      'http-message-signature: the private key, PEM or JWK without passphrase; - for standard input',
    )
    .option('--sign-header <name>', `${signingMore.join(' and ')}: sign this header too; repeatable`, collect, [])
    .option('--store <location>', 'where endpoints are kept, instead of POSTERN_STORE; no password')
    .addOption(timeoutOption());
  addHelp(command, {
    examples: [
      'export ACME_SECRET=…',
      'postern sign GET http://127.0.0.1:10000/invoices --endpoint invoices --app-key K --secret-from env:ACME_SECRET',
      `postern sign POST http://127.0.0.1:10000/orders -H 'Content-Type: application/json' -d @order.json \\
      --endpoint orders --app-key K --secret-from file:secret.txt | sh`,
      `postern sign GET https://api.example.com/payments --endpoint payments --app-key K --private-key acme.pem | sh`,
    ],
    exits: { failed: 'the gateway would refuse such a request', notFound: 'there is no such endpoint' },
  });
  addAction(command, context, async (method: string, url: string, options: SignOptions) => {
    return await sign(method, url, options, context);
  });
}

async function sign(method: string, url: string, options: SignOptions, context: CommandContext): Promise<ExitCode> {
  const { terminal, clock } = context;
  const { header: headers, data = null, appKey = null, secretFrom, privateKey, signHeader: alsoSigned } = options;
  if (data === '@-' && (secretFrom === '-' || privateKey === '-')) {
    const what = secretFrom === '-' ? 'secret' : 'private key';
    throw new UsageError(`the body and the ${what} would both be read from standard input; put one into a file`);
  }
  const endpoint = await findEndpoint(options, context);
  const { request, origin } = readRequestArguments({ method, url, headers, data });
  const secret = secretFrom === undefined ? null : readSecretArgument(secretFrom, terminal.environment);
  const { authentication } = endpoint;
  if (appKey !== null && proofOf(endpoint) === 'app-key') {
    throw new UsageError(
      '--app-key is not for key endpoints: there the App Key is the secret, which --secret-from reads',
    );
  }
  if (alsoSigned.length > 0 && (authentication === null || !methods[authentication].signsMoreHeaders)) {
    throw new UsageError(
      `--sign-header is for ${signingMore.join(' and ')} endpoints; ${endpoint.id} takes ${authentication ?? 'no credentials'}`,
    );
  }
  const key = privateKey === undefined ? null : await readPrivateKeyFlag(privateKey, terminal);
  const given = { appKey, secret, privateKey: key, alsoSigned, nowSeconds: clock.nowSeconds() };
  const signed = signRequest(request, endpoint, given);
  if (isRefusal(signed)) {
    const { refused, detail } = signed;
    terminal.err.write(`postern sign: the gateway would refuse this request with ${refused}: ${detail}\n`);
    return exitCodes.failed;
  }
  terminal.out.write(`${curlCommand(signed, origin)}\n`);
  return exitCodes.done;
}

/** An endpoint of the store. No secret is needed to look at one: a file may lack its own. Throws `NotFound`. */
async function findEndpoint(options: SignOptions, context: CommandContext): Promise<Endpoint> {
  const location = findStore(options.store, context.terminal.environment);
  if (location.kind === 'file') return requireEndpoint(options.endpoint, await readFileEndpoints(location.path));
  await using store = await openFor(context, 'sign', options, false);
  return (await requireResource(store.resources, 'endpoint', options.endpoint)).resource;
}
