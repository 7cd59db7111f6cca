import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defaultEnvoyVersion, findServices } from '../../../services/install-services.mjs';
import type { ProgramStart } from '../../../src/cli/programs/program.ts';
import { envoyStart } from '../../../src/cli/programs/servers.ts';
import { startServer } from '../process/child-process.ts';
import { type Attachment, envoyYaml } from '../attachments/attachment.ts';
import { replacePorts } from '../../../src/cli/programs/envoy-ports.ts';
import type { ClusterPorts, JsonObject } from './envoy-config.ts';
import { acquireAll } from '../lifetime/release.ts';
import { temporaryDirectory } from '../lifetime/temporary-directory.ts';

/** A line of Envoy's access log, with the names that envoy.yaml gives. */
export type AccessLogEntry = Readonly<Record<string, unknown>>;

/** A running Envoy. */
export interface Envoy extends AsyncDisposable {
  /** Where callers connect. */
  readonly port: number;
  readonly adminPort: number;
  /** The access log entry of the request with this id, as soon as it is written. */
  accessLogEntry(requestId: string): Promise<AccessLogEntry>;
  /** Everything that Envoy wrote: access log and own log. */
  output(): string;
  /** The value of a counter or gauge. */
  stat(name: string): Promise<number>;
  /** From now on it does not keep the test process from ending. */
  unref(): void;
}

export interface EnvoyOptions {
  readonly ports: ClusterPorts;
  /** Where the configuration comes from: envoy.yaml unless given. */
  readonly attachment?: Attachment;
  /** Changes the configuration before the start; without it, it is the committed one but for the ports. */
  readonly edit?: (config: JsonObject) => void;
}

/**
 * The Envoy that tests run: `ENVOY_VERSION` when it is set, the default version otherwise.
 *
 * @returns the path of the program; a failure says how to install it
 */
export async function envoyProgram(): Promise<string> {
  const version = process.env['ENVOY_VERSION'] ?? defaultEnvoyVersion;
  const path = (await findServices([`envoy@${version}`]))[`envoy@${version}`];
  if (path === undefined || path === null) {
    throw new Error(`Envoy ${version} is not installed: scripts/install-services envoy@${version}`);
  }
  return path;
}

/** Starts Envoy with the committed configuration on ports that the system chooses, and waits until it serves. */
export async function startEnvoy({ ports, edit, attachment = envoyYaml }: EnvoyOptions): Promise<Envoy> {
  return acquireAll(async (keep) => {
    const { path: directory } = keep(await temporaryDirectory());
    const config = attachment.config();
    edit?.(config);
    const setup = await setUpEnvoy(withPorts(config, ports), directory, { flushIntervalMs: 10 });
    const child = keep(await startServer(setup.start));
    const adminPort = await setup.adminPort();
    return {
      port: await setup.listenerPort(),
      adminPort,
      accessLogEntry: (requestId: string) => child.line('stdout', (line) => entryOf(line, requestId)),
      output: () => child.stdout() + child.stderr(),
      unref: () => {
        child.unref();
      },
      stat: async (name: string) => {
        const url = `http://127.0.0.1:${String(adminPort)}/stats?usedonly&filter=^${name}$`;
        const lines = (await (await fetch(url)).text()).split('\n');
        return Number(lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? 0);
      },
    };
  });
}

/** The configuration with these ports; those of Envoy itself are left to the system. */
export function withPorts(config: JsonObject, { postern, posternHttp, backend }: ClusterPorts): string {
  const ports = { envoy: 0, envoyAdmin: 0, posternGrpc: postern, posternHttp, backend };
  const text = replacePorts(JSON.stringify(config), ports);
  if (typeof text === 'string') return text;
  throw new Error(`the configuration lacks ports of envoy.yaml: ${text.missing.join(', ')}`);
}

/** How an Envoy is started, and where it listens once it serves. */
export interface EnvoySetup {
  readonly start: ProgramStart;
  readonly adminPort: () => Promise<number>;
  /** Where callers connect. */
  readonly listenerPort: () => Promise<number>;
}

/** Writes a configuration into a directory, for an Envoy on ports that the system chooses. */
export async function setUpEnvoy(
  config: string,
  directory: string,
  { flushIntervalMs }: { readonly flushIntervalMs: number },
): Promise<EnvoySetup> {
  const configPath = join(directory, 'envoy.json');
  const adminAddressPath = join(directory, 'admin-address');
  await writeFile(configPath, config);
  const adminPort = async (): Promise<number> => Number((await readFile(adminAddressPath, 'utf8')).split(':').at(-1));
  const start = envoyStart({
    program: await envoyProgram(),
    config: ['--config-path', configPath, '--admin-address-path', adminAddressPath],
    flushIntervalMs,
    adminPort,
  });
  const listenerPort = async (): Promise<number> => {
    const answer = await fetch(`http://127.0.0.1:${String(await adminPort())}/listeners?format=json`);
    const listeners = (await answer.json()) as ListenersAnswer;
    return listeners.listener_statuses[0].local_address.socket_address.port_value;
  };
  return { start, adminPort, listenerPort };
}

interface ListenersAnswer {
  readonly listener_statuses: readonly [
    { readonly local_address: { readonly socket_address: { readonly port_value: number } } },
  ];
}

function entryOf(line: string, requestId: string): AccessLogEntry | null {
  // Most lines are of other requests: they need not be parsed.
  if (!line.startsWith('{') || !line.includes(requestId)) return null;
  const entry = JSON.parse(line) as AccessLogEntry;
  return entry['requestId'] === requestId ? entry : null;
}
