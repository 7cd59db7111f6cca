import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TrafficSource } from '../../model/traffic-count.ts';
import { findStranger } from './local-asker.ts';

/** Where the listener for operators shows the counts of this process. */
export const USAGE_PATH = '/usage';

/** Counts that are written at once; checks come between. */
const COUNTS_AT_ONCE = 200;

/**
 * Answers a program of this machine with a count on each line, as JSON: `?since=HOUR&endpoint=ID`, with
 * `&consumers=each` of each consumer, else of all. `traffic` is null where a database keeps the counts.
 */
export function sendUsage(request: IncomingMessage, response: ServerResponse, traffic: TrafficSource | null): void {
  const why = findStranger(request, 'counts of requests');
  if (why !== null) refuse(response, 403, why);
  else if (traffic === null)
    refuse(response, 404, 'the database keeps the counts of all replicas: ask "postern usage"');
  else sendCounts(response, new URLSearchParams((request.url ?? '').split('?', 2)[1]), traffic);
}

function sendCounts(response: ServerResponse, query: URLSearchParams, traffic: TrafficSource): void {
  const since = query.get('since') ?? '0';
  if (!/^\d{1,9}$/.test(since)) {
    refuse(response, 400, 'since must be whole hours since 1970');
    return;
  }
  const counts = traffic.counts({
    sinceHour: Number(since),
    endpointId: query.get('endpoint') ?? undefined,
    consumers: query.get('consumers') === 'each' ? 'each' : null,
  });
  response.writeHead(200, { 'content-type': 'application/x-ndjson', 'cache-control': 'no-store' });
  Readable.from(linesOf(counts)).pipe(response);
}

async function* linesOf(counts: ReturnType<TrafficSource['counts']>): AsyncGenerator<string, void, undefined> {
  let lines = '';
  let length = 0;
  for await (const count of counts) {
    lines += `${JSON.stringify(count)}\n`;
    length += 1;
    if (length < COUNTS_AT_ONCE) continue;
    yield lines;
    await nextTurn();
    lines = '';
    length = 0;
  }
  yield lines;
}

function refuse(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
  response.end(`${text}\n`);
}
