import { DEFAULT_LIMIT, FOLLOWED_LIMIT } from './usual-limits.ts';
import { NotFound } from '../../resources/changes/resource-store.ts';
import { count, grouped } from '../../base/text/printable.ts';
import { declareRefusal } from '../../check/refusals/declare-refusal.ts';
import type { FoundRefusals, RefusalRecord, RefusalSelection } from '../../check/refusals/refusal-record.ts';
import type { CommandContext } from '../command.ts';
import { UsageError, writeSafely } from '../failure.ts';
import { momentBack } from '../../model/document/moments.ts';
import { formatData } from '../render/data.ts';
import { printList } from '../render/list.ts';
import { type ExitCode, exitCodes } from '../terminal.ts';
import { followRefusals } from './follow-refusals.ts';
import { groupRefusals } from '../../check/refusals/group-refusals.ts';
import { type OpenedRefusals, openRefusals } from './open-refusals.ts';
import { refusalColumns } from './refusal-view.ts';
import type { RefusalFlags } from './refusals.ts';
import { printRefusal } from './print-refusal.ts';

const NONE = 'No such refusal of a known caller is kept.';
const NONE_UNMATCHED = 'No such refusal of a request is kept that no endpoint took.';

/** Shows what was refused. Throws `NotFound` for a request id or a consumer that is not there. */
export async function showRefusals(flags: RefusalFlags, context: CommandContext): Promise<ExitCode> {
  const { follow, requestId } = flags;
  if (follow === true && requestId !== undefined) throw new UsageError('--follow goes without --request-id');
  await using opened = await openRefusals(context, 'refusals', flags);
  const selection = selectionOf(flags, context);
  if (follow === true) await followRefusals(opened.source, selection, flags.output, context);
  else if (requestId !== undefined) await showOne(requestId, selection, opened, flags, context);
  else await showAll(selection, opened, flags, context);
  return exitCodes.done;
}

function selectionOf(flags: RefusalFlags, { clock }: CommandContext): RefusalSelection {
  const { consumer, since, code, endpoint, credential, requestId, unmatched, follow } = flags;
  const { limit = follow === true ? FOLLOWED_LIMIT : DEFAULT_LIMIT } = flags;
  return {
    isUnmatched: unmatched,
    consumerId: consumer,
    code,
    endpointId: endpoint,
    credentialId: credential,
    requestId,
    sinceMs: since === undefined ? undefined : momentBack(since, clock.nowSeconds()) * 1000,
    limit,
  };
}

async function showAll(
  selection: RefusalSelection,
  { source, replica, requireConsumer }: OpenedRefusals,
  { output }: RefusalFlags,
  { terminal }: CommandContext,
): Promise<void> {
  const { consumerId, isUnmatched = false, limit } = selection;
  const none = isUnmatched ? NONE_UNMATCHED : NONE;
  const selected = source.find(selection);
  const found = consumerId === undefined ? selected : whereKnown(selected, () => requireConsumer(consumerId));
  if (output !== 'table') {
    await printList(found.records, { columns: [], declare: declareRefusal, none }, output, terminal);
    await noteLeftOut(found, terminal);
    return;
  }
  const { groups, count: shown, oldestMs } = await groupRefusals(found.records);
  const columns = refusalColumns({
    hasConsumer: consumerId === undefined && !isUnmatched,
    hasTimes: true,
    width: terminal.out.columns,
  });
  await printList(itemsOf(groups), { columns, declare: (group) => group, none }, output, terminal);
  if (shown === limit) terminal.err.write(`Only the newest ${grouped(limit)} are shown; --limit shows more.\n`);
  // What was left out is counted for the time that is shown.
  await noteLeftOut(shown < limit ? found : source.find({ ...selection, sinceMs: oldestMs ?? undefined }), terminal);
  if (replica !== null)
    writeSafely(terminal.err, `From the memory of one replica, ${replica}, since it was started.\n`);
}

/** The same, which reject as `requireKnown` does when there is none: an id that is mistyped has none either. */
function whereKnown(found: FoundRefusals, requireKnown: () => Promise<void>): FoundRefusals {
  return {
    records: (async function* (): AsyncGenerator<RefusalRecord> {
      let isEmpty = true;
      for await (const record of found.records) {
        isEmpty = false;
        yield record;
      }
      if (isEmpty) await requireKnown();
    })(),
    countLeftOut: async () => await found.countLeftOut(),
  };
}

async function noteLeftOut(
  found: Pick<FoundRefusals, 'countLeftOut'>,
  { err }: Pick<CommandContext['terminal'], 'err'>,
): Promise<void> {
  const leftOut = await found.countLeftOut();
  if (leftOut === 0) return;
  err.write(`${count(leftOut, 'more refusal', grouped(leftOut))}, with whatever code, were too many to keep.\n`);
}

/** One request can be refused more than once: callers choose their ids where Envoy lets them. */
async function showOne(
  requestId: string,
  selection: RefusalSelection,
  opened: OpenedRefusals,
  { output }: RefusalFlags,
  { terminal, clock }: CommandContext,
): Promise<void> {
  const records: RefusalRecord[] = [];
  for await (const record of opened.source.find(selection).records) records.push(record);
  if (records.length === 0) throw notKept(requestId, opened);
  if (output !== 'table') {
    terminal.out.write(formatData(records.map(declareRefusal), output));
    return;
  }
  for (const [index, record] of records.entries()) {
    if (index > 0) terminal.out.write('\n');
    printRefusal(record, clock.nowSeconds(), terminal);
  }
}

/** Why a request may not be among the refusals, for people. */
export function notKept(requestId: string, { replica }: Pick<OpenedRefusals, 'replica'>): NotFound {
  const where = replica === null ? '' : ` in the memory of ${replica}`;
  return new NotFound(
    `no refusal with the request id ${requestId} is kept${where}: the request passed, its App Key is unknown, there were too many, or it is older than seven days; the log may have it`,
  );
}

async function* itemsOf<T>(items: readonly T[]): AsyncGenerator<T> {
  for (const item of items) yield await Promise.resolve(item);
}
