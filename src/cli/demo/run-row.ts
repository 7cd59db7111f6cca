import type { ClientRequest } from '../../check/signing/client-request.ts';
import type { DemoClient, Exchange } from './exchange.ts';
import { type DemoRow, type Finding, type Moment, verdictOf } from './row.ts';
import type { ShownRow } from './table.ts';

/** Runs a row and judges what came. Rejects with the reason of `signal` only. */
export async function runRow(
  row: DemoRow,
  client: DemoClient,
  moment: () => Moment,
  signal: AbortSignal,
): Promise<ShownRow> {
  const { title, expected } = row;
  try {
    const exchange = await sendUntilExpected(row, client, moment, signal);
    const got = verdictOf(exchange);
    const { notes, fault } = got === expected ? (row.examine?.(exchange) ?? nothing) : unexpected(exchange);
    return {
      title,
      expected,
      got,
      latencyMs: exchange.latencyMs,
      isRight: fault === null,
      notes: fault === null ? notes : [...notes, fault],
    };
  } catch (error) {
    signal.throwIfAborted();
    const notes = [error instanceof Error ? error.message : String(error)];
    return { title, expected, got: 'no answer', latencyMs: null, isRight: false, notes };
  }
}

/** Of an unexpected answer. */
const SHOWN_BODY_CHARACTERS = 400;

const nothing: Finding = { notes: [], fault: null };

function unexpected({ status, body }: Exchange): Finding {
  const shown = body.slice(0, SHOWN_BODY_CHARACTERS).replaceAll(/\s+/g, ' ').trim();
  return { notes: [], fault: `the answer was ${String(status)} ${shown === '' ? 'without a body' : shown}` };
}

/**
 * Makes the request of a row, with what must be asked before. Rejects with the reason of `signal`, or when no answer
 * comes.
 */
export async function makeRequest(
  row: DemoRow,
  client: DemoClient,
  moment: Moment,
  signal: AbortSignal,
): Promise<ClientRequest> {
  const before = row.before === undefined ? null : await client.send(row.before(moment), signal);
  return row.request(moment, before);
}

async function sendUntilExpected(
  row: DemoRow,
  client: DemoClient,
  moment: () => Moment,
  signal: AbortSignal,
): Promise<Exchange> {
  const { expected, maxTries = 1 } = row;
  for (let tries = 1; ; tries += 1) {
    const now = moment();
    const exchange = await client.send(await makeRequest(row, client, now, signal), signal, row.tls?.(now));
    if (tries >= maxTries || verdictOf(exchange) === expected) return exchange;
  }
}
