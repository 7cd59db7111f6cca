import { explainKept, type KeptExplanation, methodOf } from '../../partners/explain/kept-refusal.ts';
import { meaningOf } from '../../partners/explain/read-kept.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import { declareRefusal } from '../../check/refusals/declare-refusal.ts';
import type { RefusalRecord, RefusalSource } from '../../check/refusals/refusal-record.ts';
import type { CommandContext } from '../command.ts';
import { UsageError } from '../failure.ts';
import { createReplicaSource } from '../refusals/ask-replica.ts';
import { printRefusal } from '../refusals/print-refusal.ts';
import { notKept } from '../refusals/show-refusals.ts';
import { formatData } from '../render/data.ts';
import { fit, wrap } from '../../base/text/wrap.ts';
import { describe, findAdminAddress } from '../store/admin-listener.ts';
import type { OpenedStore } from '../opened-store.ts';
import { openFor } from '../store/read-store.ts';
import { type ExitCode, exitCodes } from '../terminal.ts';
import type { ExplainFlags } from './explain-request.ts';
import { readContext } from './kept-context.ts';
import { fixLines, sentence } from '../../partners/explain/explanation-text.ts';

/** Explains the refusal of `--request-id` without its request. Throws `NotFound` for one that is not kept. */
export async function explainKeptRefusal(flags: ExplainFlags, context: CommandContext): Promise<ExitCode> {
  const { requestId, output } = flags;
  const ofRequest = REQUEST_FLAGS.find(([name]) => flags[name] !== undefined)?.[1];
  if (ofRequest !== undefined)
    throw new UsageError(`${ofRequest} is for the request of a FILE, or - for standard input`);
  if (requestId === undefined)
    throw new UsageError('name the request: its FILE, or - for standard input, or --request-id');
  await using store = await openFor(context, 'explain', flags, 'where-possible');
  const { record, replica } = await findKept(requestId, flags, store, context);
  const endpoint = record.endpointId === null ? null : await findEndpoint(store, record.endpointId);
  const { secretNote, ...known } = await readContext(record, endpoint, flags.secretFrom, store, context);
  const plain = explainKept(record, known);
  const explained = secretNote === null ? plain : { ...plain, notes: [...plain.notes, secretNote] };
  const meaning = meaningOf(record, endpoint);
  if (output === 'table') printExplained(record, meaning, { ...explained, replica }, context);
  else context.terminal.out.write(formatData(declareExplained(record, endpoint, meaning, explained), output));
  return exitCodes.failed;
}

/** What says something of a request, and nothing of a refusal that is kept. */
const REQUEST_FLAGS = [
  ['method', '--method'],
  ['option', '--option'],
  ['endpoint', '--endpoint'],
  ['appKey', '--app-key'],
  ['publicKey', '--public-key'],
  ['kid', '--kid'],
  ['body', '--body'],
  ['at', '--at'],
  ['from', '--from'],
  ['entry', '--entry'],
] as const satisfies readonly (readonly [keyof ExplainFlags, string])[];

/** A refusal that is kept, and the replica that remembers it; null for a database. */
export interface KeptRefusal {
  readonly record: RefusalRecord;
  readonly replica: string | null;
}

/** The newest refusal with this request id. Throws `NotFound`, and {@link UsageError} where several ids begin so. */
export async function findKept(
  requestId: string,
  { admin, timeout }: Pick<ExplainFlags, 'admin' | 'timeout'>,
  store: OpenedStore,
  { terminal: { environment } }: CommandContext,
): Promise<KeptRefusal> {
  const stored = admin === undefined ? store.refusals : null;
  const address = stored === null ? findAdminAddress(admin, environment) : null;
  const source: RefusalSource | null = address === null ? stored : createReplicaSource(address, timeout);
  const found: RefusalRecord[] = [];
  for await (const record of source?.find({ requestId, limit: 100 }).records ?? []) found.push(record);
  const [newest] = found;
  const replica = address === null ? null : describe(address);
  if (newest === undefined) throw notKept(requestId, { replica });
  const ids = [...new Set(found.map((record) => record.requestId))];
  if (ids.length > 1) throw new UsageError(`several request ids begin with it: ${ids.slice(0, 5).join(', ')}`);
  return { record: newest, replica };
}

async function findEndpoint(store: OpenedStore, id: string): Promise<Endpoint | null> {
  return (await store.resources.find('endpoint', id))?.resource ?? null;
}

function declareExplained(
  record: RefusalRecord,
  endpoint: Endpoint | null,
  meaning: string | null,
  { mistakes, notes }: KeptExplanation,
): object {
  const authentication = methodOf(record, endpoint);
  return { refusal: declareRefusal(record), authentication, meaning, mistakes, notes };
}

const ASK_FOR_REQUEST =
  'Next: ask the partner for the request (a curl command, raw HTTP or a HAR), which shows the mistake:';
const COMPARE_TEXTS =
  'Next: let the partner compare the string to sign, byte by byte, or send the request, which shows the mistake:';

function printExplained(
  record: RefusalRecord,
  meaning: string | null,
  { mistakes, notes, needsRequest, replica }: KeptExplanation & Pick<KeptRefusal, 'replica'>,
  { terminal, clock }: CommandContext,
): void {
  printRefusal(record, clock.nowSeconds(), terminal);
  const id = record.requestId ?? '';
  const { columns } = terminal.out;
  const sections = [
    meaning === null ? [] : [wrap(`What it means to the partner: ${sentence(meaning)}`, columns)],
    mistakes.map(({ what, name }) => fit(`Wrong: ${sentence(what)} [${name}]`, columns)),
    fixLines(mistakes, columns),
    notes.map((note) => wrap(`Note: ${note}`, columns)),
    needsRequest
      ? [
          wrap(record.stringToSign === null ? ASK_FOR_REQUEST : COMPARE_TEXTS, columns),
          `  postern explain request.txt --request-id ${id}${replica === null ? '' : ` --admin ${replica}`}`,
        ]
      : [],
  ];
  for (const lines of sections.filter((each) => each.length > 0)) terminal.out.write(`\n${lines.join('\n')}\n`);
}
