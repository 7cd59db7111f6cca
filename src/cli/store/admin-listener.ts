import { get, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { settings } from '../../gateway/config.ts';
import type { Environment } from '../../base/environment.ts';
import { type ListenAddress, parseListenAddress } from '../../base/net/listen-address.ts';
import { StoreUnavailable } from '../../check/store/credential-source.ts';
import { UsageError } from '../failure.ts';

/** What this process decided is asked of it alone: how long an answer may take. */
const TIMEOUT_MS = 5000;
/** Listening on every address means this machine's own, too. */
const OWN_ADDRESSES: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/**
 * Where the admin listener of a replica is: `--admin`, as a URL or in the form of the setting, or
 * `POSTERN_ADMIN_ADDRESS`. Throws {@link UsageError}.
 */
export function findAdminAddress(given: string | undefined, environment: Environment): ListenAddress {
  const { name, default: usual } = settings.adminAddress;
  const text = given ?? (environment[name] || usual);
  const plain = text.replace(/^http:\/\/([^/]+)\/?$/, '$1');
  const address = parseListenAddress(plain);
  if (!('fault' in address)) return address;
  throw new UsageError(`${given === undefined ? name : '--admin'}: must be like http://127.0.0.1:9003, not "${text}"`);
}

/**
 * Asks `postern serve` on this machine, at `POSTERN_ADMIN_ADDRESS`, and gives the values of its answer, one of JSON a
 * line. Rejects with `StoreUnavailable` where no Postern answers, and with `UsageError` for an address that is none.
 */
export async function* askAdminListener(environment: Environment, path: string): AsyncGenerator<unknown, void> {
  const address = findAdminAddress(undefined, environment);
  const response = await getFromAdmin(address, path, TIMEOUT_MS).catch((error: unknown) => {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new StoreUnavailable(
      `no Postern answers at ${describe(address)} (POSTERN_ADMIN_ADDRESS), which keeps what it decided: ${reason}`,
    );
  });
  const lines = createInterface({ input: response });
  if (response.statusCode !== 200) {
    const first: IteratorResult<string, unknown> = await lines[Symbol.asyncIterator]().next();
    throw new Error(`${describe(address)} answered ${String(response.statusCode)}: ${String(first.value)}`);
  }
  for await (const line of lines) if (line !== '') yield JSON.parse(line);
}

/**
 * Asks the admin listener at an address, and gives its answer when the head has come. Rejects with the system's error,
 * also when the whole takes longer than `timeoutMs`.
 */
export async function getFromAdmin(address: ListenAddress, path: string, timeoutMs: number): Promise<IncomingMessage> {
  const target =
    address.kind === 'unix'
      ? { socketPath: address.path }
      : { host: OWN_ADDRESSES[address.host] ?? address.host, port: address.port };
  return await new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(timeoutMs);
    get({ ...target, path, agent: false, signal }, resolve).on('error', reject);
  });
}

/** The address as people write it. */
export function describe(address: ListenAddress): string {
  if (address.kind === 'unix') return `unix:${address.path}`;
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  return `http://${host}:${String(address.port)}`;
}
