import { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import type { ListenAddress } from '../../base/net/listen-address.ts';
import type { SelectedRefusals } from '../../check/refusals/refusal-memory.ts';
import {
  type FoundRefusals,
  type RefusalRecord,
  type RefusalSelection,
  type RefusalSource,
  RemembersNone,
} from '../../check/refusals/refusal-record.ts';
import { REFUSALS_PATH } from '../../gateway/serving/refusals-page.ts';
import { StoreUnavailable } from '../../check/store/credential-source.ts';
import { describe, getFromAdmin } from '../store/admin-listener.ts';

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
  const { status, text } = await read(address, `${REFUSALS_PATH}?${query.toString()}`, timeoutMs);
  if (status !== 200) throw new RemembersNone(`${describe(address)} answered ${String(status)}: ${text.trim()}`);
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
  throw new RemembersNone(`${describe(address)} is not the admin listener of a Postern of this version`);
}

async function read(
  address: ListenAddress,
  path: string,
  timeoutMs: number,
): Promise<{ readonly status: number; readonly text: string }> {
  try {
    const response = await getFromAdmin(address, path, timeoutMs);
    return { status: response.statusCode ?? 0, text: await textOf(response) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StoreUnavailable(`${describe(address)} does not answer: ${reason}`);
  }
}
