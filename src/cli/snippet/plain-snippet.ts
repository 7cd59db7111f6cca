import { formatListenAddress, type ListenAddress } from '../../base/net/listen-address.ts';
import { withMutualTls } from './mutual-tls.ts';
import { replaceFound, withoutBlock } from './text-blocks.ts';

/** Where Envoy reaches Postern. */
export interface PosternAddresses {
  readonly grpc: ListenAddress;
  readonly http: ListenAddress;
}

const HEADER = `# Postern's parts of an Envoy configuration, each where it belongs: copy them into yours. From the connection manager
# take the settings, local_reply_config, the routes before "/" and, before your router, the filters in this order; and both
# clusters. Then run "postern doctor --envoy-file" on the result.

`;

/** What is not Postern's, by the line that it begins with. */
const OTHERS = ['admin:', '      address:', '                access_log:', '    - name: backend '];

/**
 * Postern's parts of envoy.yaml, for an Envoy that has a listener already: with its comments, and these addresses.
 *
 * @param tlsFolder the folder with the files of mutual TLS, on Envoy's machine; null without it
 */
export function plainSnippet(
  envoyYaml: string,
  { grpc, http }: PosternAddresses,
  tlsFolder: string | null = null,
): string {
  const parts = OTHERS.reduce(withoutBlock, envoyYaml.replace(/^(?:#.*\n)+\n/, HEADER));
  const own = tlsFolder === null ? parts : withMutualTls(parts, tlsFolder);
  return `${withAddress(withAddress(own, 'postern', grpc), 'postern-http', http).trimEnd()}\n`;
}

function withAddress(text: string, cluster: string, address: ListenAddress): string {
  const start = text.search(new RegExp(`^    - name: ${cluster} `, 'm'));
  const next = text.indexOf('\n    - name: ', start + 1);
  const end = next < 0 ? text.length : next;
  return text.slice(0, start) + addressed(text.slice(start, end), address) + text.slice(end);
}

const SOCKET = /socket_address: \{ [^}]* \}/g;

function addressed(cluster: string, address: ListenAddress): string {
  if (address.kind === 'tcp') {
    const { host, port } = address;
    return replaceFound(
      cluster,
      SOCKET,
      `socket_address: { address: ${JSON.stringify(host)}, port_value: ${String(port)} }`,
    );
  }
  const piped = replaceFound(cluster, SOCKET, `pipe: { path: ${JSON.stringify(address.path)} }`);
  return replaceFound(piped, /type: STRICT_DNS.*/g, 'type: STATIC');
}

/** Why Envoy cannot call an address that Postern listens on; null when it can. */
export function whyNotCallable(address: ListenAddress): string | null {
  if (address.kind === 'unix') return null;
  if (address.port === 0) return `${formatListenAddress(address)} takes any free port`;
  const isAny = ['0.0.0.0', '::'].includes(address.host);
  return isAny ? `${formatListenAddress(address)} is every address of a machine, and none to call` : null;
}
