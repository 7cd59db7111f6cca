import { request } from 'node:http';
import { Readable } from 'node:stream';
import { settings } from '../../config.ts';
import { type ListenAddress, parseListenAddress } from '../../net/listen-address.ts';
import type { SelectedRefusals } from '../../refusals/refusal-memory.ts';
import type { FoundRefusals, RefusalRecord, RefusalSelection, RefusalSource } from '../../refusals/refusal-record.ts';
import { REFUSALS_PATH } from '../../server/refusals-page.ts';
import { StoreUnavailable } from '../../store/credential-source.ts';
import { UsageError } from '../failure.ts';
import type { Terminal } from '../terminal.ts';

/**
 * Where the admin listener of a replica is: `--admin`, as a URL or in the form of the setting, or
 * `POSTERN_ADMIN_ADDRESS`. Throws {@link UsageError}.
 */
export function findAdminAddress(given: string | undefined, environment: Terminal['environment']): ListenAddress {
  const { name, default: usual } = settings.adminAddress;
  const text = given ?? (environment[name] || usual);
  const plain = text.replace(/^http:\/\/([^/]+)\/?$/, '$1');
  const address = parseListenAddress(plain);
  if (!('fault' in address)) return address;
  throw new UsageError(`${given === undefined ? name : '--admin'}: must be like http://127.0.0.1:9003, not "${text}"`);
}

/** What one replica remembers, asked over its admin listener on this machine. */
export function createReplicaSource(address: ListenAddress, timeoutMs: number): RefusalSource {
  return {
    find: (selection): FoundRefusals => {
      let answer: Promise<SelectedRefusals> | null = null;
      const ask = (): Promise<SelectedRefusals> => (answer ??= askReplica(address, selection, timeoutMs));
      return {
        records: (async function* (): AsyncGenerator<RefusalRecord> {
          yield* Readable.from((await ask()).records) as AsyncIterable<RefusalRecord>;
        })(),
        countLeftOut: async () => (await ask()).leftOut,
      };
    },
  };
}

async function askReplica(
  address: ListenAddress,
  selection: RefusalSelection,
  timeoutMs: number,
): Promise<SelectedRefusals> {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(selection) as [string, string | number | undefined][]) {
    if (value !== undefined) query.set(name, String(value));
  }
  const { status, text } = await get(address, `${REFUSALS_PATH}?${query.toString()}`, timeoutMs);
  if (status !== 200) throw new Error(`${describe(address)} answered ${String(status)}: ${text.trim()}`);
  return readAnswer(text, address);
}

function readAnswer(text: string, address: ListenAddress): SelectedRefusals {
  let answer: unknown = null;
  try {
    answer = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  if (answer !== null && typeof answer === 'object' && 'records' in answer && Array.isArray(answer.records)) {
    return answer as SelectedRefusals;
  }
  throw new Error(`${describe(address)} is not the admin listener of a Postern of this version`);
}

/** Listening on every address means this machine's own, too. */
const OWN_ADDRESSES: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

async function get(
  address: ListenAddress,
  path: string,
  timeoutMs: number,
): Promise<{ readonly status: number; readonly text: string }> {
  const target =
    address.kind === 'unix'
      ? { socketPath: address.path }
      : { host: OWN_ADDRESSES[address.host] ?? address.host, port: address.port };
  return await new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      reject(new StoreUnavailable(`${describe(address)} does not answer: ${error.message}`));
    };
    const asked = request({ ...target, path, signal: AbortSignal.timeout(timeoutMs) }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', fail);
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(pieces).toString('utf8') });
      });
    });
    asked.on('error', fail);
    asked.end();
  });
}

/** The address as people write it. */
export function describe(address: ListenAddress): string {
  if (address.kind === 'unix') return `unix:${address.path}`;
  const host = address.host.includes(':') ? `[${address.host}]` : address.host;
  return `http://${host}:${String(address.port)}`;
}
