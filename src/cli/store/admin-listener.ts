import { get, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import type { Environment } from '../../config.ts';
import type { ListenAddress } from '../../net/listen-address.ts';
import { StoreUnavailable } from '../../store/credential-source.ts';
import { describe, findAdminAddress } from '../refusals/ask-replica.ts';

/** What this process decided is asked of it alone: how long an answer may take. */
const TIMEOUT_MS = 5000;
/** A listener on all addresses is reached at this machine's own. */
const EVERY_ADDRESS: readonly string[] = ['0.0.0.0', '::'];

/**
 * Asks `postern serve` on this machine, at `POSTERN_ADMIN_ADDRESS`, and gives the values of its answer, one of JSON a
 * line. Rejects with `StoreUnavailable` where no Postern answers, and with `UsageError` for an address that is none.
 */
export async function* askAdminListener(environment: Environment, path: string): AsyncGenerator<unknown, void> {
  const address = findAdminAddress(undefined, environment);
  const response = await ask(address, path).catch((error: unknown) => {
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

async function ask(address: ListenAddress, path: string): Promise<IncomingMessage> {
  const target =
    address.kind === 'unix'
      ? { socketPath: address.path }
      : { host: EVERY_ADDRESS.includes(address.host) ? 'localhost' : address.host, port: address.port };
  return await new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    get({ ...target, path, agent: false, signal }, resolve).on('error', reject);
  });
}
