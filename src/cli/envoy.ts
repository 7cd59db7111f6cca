import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { parseConfig } from '../gateway/config.ts';
import { type ListenAddress, parseListenAddress } from '../base/net/listen-address.ts';
import { packageFiles } from './programs/servers.ts';
import { type ControlPlane, filesOf, manifestSnippet, mutualTlsFileOf, overlayOf } from './snippet/manifest-snippet.ts';
import { plainSnippet, whyNotCallable } from './snippet/plain-snippet.ts';
import { addAction, addHelp, type CommandContext } from './command.ts';
import { UsageError } from './failure.ts';
import { exitCodes, type Terminal } from './terminal.ts';

interface SnippetOptions {
  readonly for: 'plain' | ControlPlane;
  readonly grpc?: string;
  readonly http?: string;
  readonly gateway?: string;
  readonly service?: string;
  /** The folder; true for none. */
  readonly mutualTls?: string | true;
}

/** Adds `postern envoy` with its command. */
export function registerEnvoy(program: Command, context: CommandContext): void {
  const group = program.command('envoy').description("Print Postern's parts of the configuration of an Envoy.");
  addHelp(group, { examples: ['postern envoy snippet'] });
  const command = group
    .command('snippet')
    .description('Print the filters, routes, local replies and clusters for a listener that exists already.')
    .addOption(
      new Option('--for <kind>', 'what configures Envoy').choices(['plain', 'istio', 'envoy-gateway']).default('plain'),
    )
    .option('--grpc <address>', 'plain: where Envoy reaches POSTERN_GRPC_ADDRESS, host:port or unix:/path')
    .option('--http <address>', 'plain: where Envoy reaches POSTERN_HTTP_ADDRESS')
    .option(
      '--gateway <names>',
      'istio: NAMESPACE/LABEL, the value of its label "istio"; envoy-gateway: NAMESPACE/GATEWAY/LISTENER',
    )
    .option('--service <names>', "istio and envoy-gateway: NAMESPACE/SERVICE, Postern's")
    .option(
      '--mutual-tls [folder]',
      'ask partners for certificates; plain: with tls.crt, tls.key and ca.crt in this folder on the machine of Envoy',
    );
  addHelp(command, {
    notes: `Plain: YAML in the shape of a configuration of Envoy, with the addresses of the settings unless they are given.
Istio and Envoy Gateway: manifests, after a comment with what belongs into the product's own settings.
Routes to back ends, and with TLS to Postern the transport sockets (docs/tls.md), are yours to add.
All of it comes from envoy.yaml and deploy/overlays of this version, comments included.`,
    examples: [
      'postern envoy snippet > postern-parts.yaml',
      'postern envoy snippet | postern doctor --envoy-file -',
      'postern envoy snippet --grpc postern.internal:9001 --http postern.internal:9002',
      'postern envoy snippet --for envoy-gateway --gateway edge/partners/https > postern.yaml',
      'postern envoy snippet --mutual-tls /etc/envoy/partners',
    ],
  });
  addAction(command, context, (options: SnippetOptions) => {
    context.terminal.out.write(snippetFor(options, context.terminal));
    return Promise.resolve(exitCodes.done);
  });
}

function snippetFor(
  { for: kind, grpc, http, gateway, service, mutualTls }: SnippetOptions,
  terminal: Terminal,
): string {
  if (kind === 'plain') {
    refuse({ '--gateway': gateway, '--service': service }, 'plain');
    const addresses = {
      grpc: addressOf('--grpc', grpc, 'grpcAddress', terminal),
      http: addressOf('--http', http, 'httpAddress', terminal),
    };
    return plainSnippet(readFileSync(packageFiles.envoyYaml, 'utf8'), addresses, tlsFolderOf(mutualTls));
  }
  refuse({ '--grpc': grpc, '--http': http }, kind);
  if (typeof mutualTls === 'string') {
    throw new UsageError(`--mutual-tls takes no folder with --for ${kind}, which has certificates in Secrets`);
  }
  const folder = join(packageFiles.deploy, overlayOf(kind));
  const files = new Map(filesOf(kind).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
  const [namespace = '', name = '', listener = ''] = namesIn(
    '--gateway',
    gateway,
    kind === 'istio' ? 'NAMESPACE/LABEL' : 'NAMESPACE/GATEWAY/LISTENER',
  );
  const [serviceNamespace = '', serviceName = ''] = namesIn('--service', service, 'NAMESPACE/SERVICE');
  const clusterNames = {
    gateway: gateway === undefined ? null : { namespace, name, listener },
    service: service === undefined ? null : { namespace: serviceNamespace, name: serviceName },
  };
  const added = mutualTls === undefined ? null : join(packageFiles.deploy, mutualTlsFileOf(kind));
  return manifestSnippet(kind, files, clusterNames, added === null ? null : readFileSync(added, 'utf8'));
}

function tlsFolderOf(mutualTls: SnippetOptions['mutualTls']): string | null {
  if (mutualTls === undefined) return null;
  if (mutualTls !== true && mutualTls.startsWith('/')) return mutualTls;
  throw new UsageError('--mutual-tls: must be a folder on the machine of Envoy, such as /etc/envoy/partners');
}

/** No option is ignored in silence. */
function refuse(options: Readonly<Record<string, string | undefined>>, kind: string): void {
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined) throw new UsageError(`${name} says nothing with --for ${kind}; leave it out`);
  }
}

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';

const ONE_LABEL = new RegExp(`^${LABEL}$`);
const WITH_DOTS = new RegExp(`^(?=.{1,253}$)${LABEL}(?:\\.${LABEL})*$`);

/** What Kubernetes takes as each name (RFC 1123). */
const NAMES: Readonly<Record<string, RegExp>> = {
  NAMESPACE: ONE_LABEL,
  SERVICE: ONE_LABEL,
  LABEL: ONE_LABEL,
  GATEWAY: WITH_DOTS,
  LISTENER: WITH_DOTS,
};

/** The names that an option gives, joined by slashes as its form says. */
function namesIn(option: string, text: string | undefined, form: string): readonly string[] {
  if (text === undefined) return [];
  const [names, kinds] = [text.split('/'), form.split('/')];
  if (names.length === kinds.length && kinds.every((kind, index) => NAMES[kind]?.test(names[index] ?? '')))
    return names;
  const rule = 'each a name of Kubernetes (lower-case letters, digits, hyphens)';
  throw new UsageError(`${option}: must be ${form}, ${rule}, not "${text}"`);
}

function addressOf(
  option: string,
  text: string | undefined,
  setting: 'grpcAddress' | 'httpAddress',
  { environment }: Terminal,
): ListenAddress {
  if (text !== undefined) {
    const address = parseListenAddress(text);
    if ('fault' in address) throw new UsageError(`${option}: ${address.fault}`);
    return callable(option, address);
  }
  const parsed = parseConfig(environment);
  if ('problems' in parsed) throw new UsageError(parsed.problems.join('\n'));
  return callable(option, parsed.config[setting]);
}

function callable(option: string, address: ListenAddress): ListenAddress {
  const why = whyNotCallable(address);
  if (why === null) return address;
  throw new UsageError(`${why}: give the one that Envoy reaches with ${option}`);
}
