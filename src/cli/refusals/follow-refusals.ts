import { setTimeout as delay } from 'node:timers/promises';
import { escapeInJson } from '../../model/document/escape-invisible.ts';
import { declareRefusal } from '../../check/refusals/declare-refusal.ts';
import type { RefusalRecord, RefusalSelection, RefusalSource } from '../../check/refusals/refusal-record.ts';
import { StoreUnavailable } from '../../check/store/credential-source.ts';
import type { CommandContext } from '../command.ts';
import { writeSafely } from '../failure.ts';
import type { OutputFormat } from '../flags/options.ts';
import { formatData } from '../render/data.ts';
import { formatRows } from '../render/list.ts';
import { groupOf } from '../../check/refusals/group-refusals.ts';
import { refusalColumns } from './refusal-view.ts';

const POLL_MS = 1000;
/** Replicas write their refusals within this time, and their clocks may differ. */
const LATE_MS = 15_000;
const MAX_NEW = 1000;

/** Waits until it is time to ask again, or the signal is aborted. */
export type Pause = (stopped: AbortSignal) => Promise<void>;

const pauseForPolling: Pause = async (signal) => {
  await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
};

/**
 * Prints the newest refusals and then each new one, the oldest first, until Ctrl-C or the end of its reader. JSON is
 * one object a line. A store that does not answer is reported once, and asked again.
 */
export async function followRefusals(
  source: RefusalSource,
  selection: RefusalSelection,
  output: OutputFormat,
  { terminal }: Pick<CommandContext, 'terminal'>,
  pause: Pause = pauseForPolling,
): Promise<void> {
  const { out, err } = terminal;
  const stop = new AbortController();
  terminal.onStopSignal(() => {
    stop.abort();
  });
  const print = printerOf(output, selection, terminal);
  const seen = new Seen(selection.limit);
  let asked = selection;
  let isDown = false;
  while (!stop.signal.aborted) {
    try {
      const fresh = seen.onlyNew(await newest(source, asked));
      if (isDown) err.write('The refusals can be read again.\n');
      isDown = false;
      if (fresh.length > 0) print(fresh.reverse());
      asked = { ...selection, sinceMs: seen.sinceMs(selection.sinceMs), limit: MAX_NEW };
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      if (!isDown) writeSafely(err, `${error.message}; trying again\n`);
      isDown = true;
    }
    if ((await out.settled?.()) === false) return;
    await pause(stop.signal);
  }
}

async function newest(source: RefusalSource, selection: RefusalSelection): Promise<RefusalRecord[]> {
  const records: RefusalRecord[] = [];
  for await (const record of source.find(selection).records) records.push(record);
  return records;
}

/** What was printed: replicas write a little later than they refuse, so that an older one may still come. */
class Seen {
  readonly #ids = new Map<string, number>();
  readonly #firstLimit: number;
  /** What is older was left out when the newest few were printed first. */
  #floorMs: number | null = null;
  #newestMs: number | null = null;

  constructor(firstLimit: number) {
    this.#firstLimit = firstLimit;
  }

  /** @param records newest first */
  onlyNew(records: readonly RefusalRecord[]): RefusalRecord[] {
    const oldest = records.at(-1);
    if (this.#floorMs === null && oldest !== undefined) {
      this.#floorMs = records.length === this.#firstLimit ? oldest.atMs : 0;
    }
    const fresh = records.filter(({ id, atMs }) => !this.#ids.has(id) && atMs >= (this.#floorMs ?? 0));
    for (const { id, atMs } of fresh) {
      this.#ids.set(id, atMs);
      this.#newestMs = Math.max(this.#newestMs ?? atMs, atMs);
    }
    const since = this.sinceMs(undefined) ?? 0;
    for (const [id, atMs] of this.#ids) if (atMs < since) this.#ids.delete(id);
    return fresh;
  }

  sinceMs(usual: number | undefined): number | undefined {
    return this.#newestMs === null ? usual : this.#newestMs - LATE_MS;
  }
}

type Print = (records: readonly RefusalRecord[]) => void;

function printerOf(
  output: OutputFormat,
  { consumerId, isUnmatched = false }: RefusalSelection,
  { out, environment }: CommandContext['terminal'],
): Print {
  if (output === 'json') {
    return (records) => {
      for (const record of records) out.write(`${escapeInJson(JSON.stringify(declareRefusal(record)))}\n`);
    };
  }
  if (output === 'yaml') {
    return (records) => {
      out.write(formatData(records.map(declareRefusal), 'yaml'));
    };
  }
  let hasHead = true;
  const columns = refusalColumns({
    hasConsumer: consumerId === undefined && !isUnmatched,
    hasTimes: false,
    width: out.columns,
  });
  return (records) => {
    out.write(formatRows(records.map(groupOf), columns, hasHead, { out, environment }));
    hasHead = false;
  };
}
