import type { RefusalRecord, RefusalSelection, RefusalSource } from '../../check/refusals/refusal-record.ts';
import { isMapping } from '../../model/document/fields.ts';
import type { ApiClient } from './api-client.ts';
import { queryOf, readTimeline } from './read-timeline.ts';

/** Refusals behind the management API: those that the person whose token is used may see. */
export function createRemoteRefusals(client: ApiClient): RefusalSource {
  return {
    find: (selection) => ({
      records: readRefusals(client, selection),
      countLeftOut: async () => await countLeftOut(client, selection),
    }),
  };
}

function queryFor(selection: RefusalSelection): URLSearchParams {
  const { isUnmatched = false, consumerId, code, endpointId, credentialId, requestId, sinceMs, untilMs } = selection;
  return queryOf({
    unmatched: isUnmatched ? 'true' : undefined,
    consumer: consumerId,
    code,
    endpoint: endpointId,
    credential: credentialId,
    requestId,
    since: sinceMs === undefined ? undefined : new Date(sinceMs).toISOString(),
    until: untilMs === undefined ? undefined : new Date(untilMs).toISOString(),
  });
}

async function* readRefusals(client: ApiClient, selection: RefusalSelection): AsyncGenerator<RefusalRecord> {
  for await (const item of readTimeline(client, '/v1/refusals', queryFor(selection), selection.limit)) {
    const record = readRefusal(item);
    // The API knows seconds.
    if (selection.sinceMs === undefined || record.atMs >= selection.sinceMs) yield record;
  }
}

async function countLeftOut(client: ApiClient, selection: RefusalSelection): Promise<number> {
  const query = queryFor(selection);
  query.set('leftOut', 'true');
  query.set('limit', '1');
  const { leftOut } = await client.ask('GET', `/v1/refusals?${query.toString()}`);
  return typeof leftOut === 'number' ? leftOut : 0;
}

function readRefusal(raw: unknown): RefusalRecord {
  if (!isMapping(raw)) throw new Error('the management API answered with a refusal that is none');
  const text = (name: string): string | null => {
    const value = raw[name];
    return typeof value === 'string' ? value : null;
  };
  const { leftOutBefore, observed } = raw;
  return {
    id: text('refusal') ?? '',
    atMs: Date.parse(text('at') ?? ''),
    requestId: text('requestId'),
    endpointId: text('endpoint'),
    method: text('method') ?? '',
    path: text('path') ?? '',
    code: text('code') ?? '',
    detail: text('detail') ?? '',
    isObserved: observed === true,
    consumerId: text('consumer'),
    credentialId: text('credential'),
    sourceAddress: text('sourceAddress'),
    stringToSign: text('stringToSign'),
    leftOut: typeof leftOutBefore === 'number' ? leftOutBefore : 0,
  };
}
