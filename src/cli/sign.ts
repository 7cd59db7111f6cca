import type { Command } from 'commander';
import { findNearestName } from '../document/nearest-name.ts';
import { MAX_DOCUMENT_BYTES, parseDocument } from '../resources/parse-document.ts';
import { formatProblem } from '../document/problem.ts';
import type { Endpoint } from '../model/endpoint.ts';
import { isRefusal } from '../refusal.ts';
import { readWholeFile } from '../files/read-whole-file.ts';
import { curlCommand } from '../signing/curl-command.ts';
import { type CommandContext, helpText } from './command.ts';
import { EndpointNotFound, reportFailure, UsageError } from './failure.ts';
import { readRequestArguments, readSecretArgument } from './flags/inputs.ts';
import { timeoutOption } from './flags/options.ts';
import { collect } from './flags/values.ts';
import { signRequest } from './partner/sign-request.ts';
import { findStore } from './store/open-store.ts';
import { requireResource } from './store/read-store.ts';
import { type ExitCode, exitCodes } from './terminal.ts';

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
export function registerSign(program: Command, context: CommandContext): void {
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
      helpText({
        examples: [
          'export ACME_SECRET=…',
          'postern sign GET http://127.0.0.1:10000/invoices --endpoint invoices --app-key K --secret-from env:ACME_SECRET',
          `postern sign POST http://127.0.0.1:10000/orders -H 'Content-Type: application/json' -d @order.json \\
      --endpoint orders --app-key K --secret-from file:secret.txt | sh`,
        ],
        exits: {
          failed: 'the gateway would refuse such a request',
          notFound: 'there is no such endpoint',
        },
      }),
    )
    .action(async (method: string, url: string, options: SignOptions) => {
      context.finish(await sign(method, url, options, context));
    });
}

async function sign(method: string, url: string, options: SignOptions, context: CommandContext): Promise<ExitCode> {
  const { terminal, clock } = context;
  try {
    if (options.data === '@-' && options.secretFrom === '-') {
      throw new UsageError('both the body and the secret are to come from standard input; put one into a file');
    }
    const endpoint = await findEndpoint(options, context);
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
      nowSeconds: clock.nowSeconds(),
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

/** No App Secret is needed to look at an endpoint, so none is looked up: any text stands for each. */
const ANY_SECRET = 'x'.repeat(32);

/**
 * Finds an endpoint in the store, for its options. Throws {@link EndpointNotFound} or `NotFound`, {@link UsageError} for
 * what is no store, `StoreUnavailable` for a database that does not answer, or an error that holds the problems of the
 * file, one a line.
 */
async function findEndpoint(
  { endpoint: id, store, timeout: timeoutMs }: SignOptions,
  { openStore, terminal: { environment } }: CommandContext,
): Promise<Endpoint> {
  const location = findStore(store, environment);
  if (location.kind !== 'file') {
    const wish = {
      command: 'sign',
      store,
      environment,
      needsSecrets: false,
      timeoutMs,
      warn: () => undefined,
    } as const;
    await using opened = await openStore(wish);
    return (await requireResource(opened.resources, 'endpoint', id)).resource;
  }
  const file = location.path;
  const read = await readWholeFile(file, MAX_DOCUMENT_BYTES);
  if (read.kind !== 'read') throw new Error(`${file}: ${read.kind === 'faulty' ? read.message : 'it keeps changing'}`);
  const parsed = parseDocument([{ file, text: read.text }], {
    isComplete: false,
    readSecret: () => ({ text: ANY_SECRET }),
  });
  if ('problems' in parsed) throw new Error(parsed.problems.map(formatProblem).join('\n'));
  const { endpoints } = parsed.content;
  const endpoint = endpoints.find((candidate) => candidate.id === id);
  if (endpoint !== undefined) return endpoint;
  const nearest = findNearestName(
    id,
    endpoints.map((candidate) => candidate.id),
  );
  throw new EndpointNotFound(
    `${file} has no endpoint "${id}"${nearest === null ? '' : `; did you mean "${nearest}"?`}`,
  );
}
