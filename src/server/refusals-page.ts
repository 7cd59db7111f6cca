import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { RefusalSelection } from '../refusals/refusal-record.ts';
import type { SelectedRefusals } from '../refusals/refusal-memory.ts';

/** What the admin listener shows at {@link REFUSALS_PATH}: the records, and how many were left out. */
export type SelectRefusals = (selection: RefusalSelection) => SelectedRefusals;

export const REFUSALS_PATH = '/refusals';

export interface PageAnswer {
  readonly status: number;
  readonly text: string;
  readonly contentType?: string;
}

const DEFAULT_LIMIT = 1000;
const MAX_LIMIT = 5000;

/**
 * Answers a program of this machine with refusals as JSON. The admin listener asks nobody who they are, and refusals
 * are about partners: so the peer has to be this machine itself, over loopback or a Unix socket, and no browser and no
 * proxy that speaks for others.
 */
export function answerRefusals(request: IncomingMessage, select: SelectRefusals): PageAnswer {
  const why = findStranger(request);
  if (why !== null) return { status: 403, text: `${why}\n` };
  const [, query = ''] = (request.url ?? '').split('?', 2);
  const selection = readSelection(new URLSearchParams(query));
  if (selection === null) return { status: 400, text: 'sinceMs and limit must be whole numbers\n' };
  return { status: 200, text: JSON.stringify(select(selection)), contentType: 'application/json' };
}

/** Exactly these: a mesh's sidecar hands on requests of other machines from 127.0.0.6. */
const OWN_ADDRESSES = ['127.0.0.1', '::1', '::ffff:127.0.0.1'];
/** A proxy adds one of the first, a browser one of the others. */
const FOREIGN_HEADERS = ['x-forwarded-for', 'forwarded', 'via', 'x-envoy-internal', 'origin', 'sec-fetch-site'];

function findStranger({ socket, headers }: IncomingMessage): string | null {
  const { remoteAddress } = socket;
  if (remoteAddress !== undefined && !OWN_ADDRESSES.includes(remoteAddress)) {
    return 'refusals are shown to programs of this machine only: ask from there';
  }
  if (FOREIGN_HEADERS.some((name) => headers[name] !== undefined)) {
    return 'refusals are shown neither through a proxy nor to a browser';
  }
  // A page of a browser can give a name of its own this machine's address.
  const host = (headers.host ?? '').replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
  return host === 'localhost' || isIP(host) !== 0 ? null : 'ask by an address or by "localhost"';
}

function readSelection(query: URLSearchParams): RefusalSelection | null {
  const text = (name: string): string | undefined => query.get(name) ?? undefined;
  const sinceMs = readNumber(text('sinceMs'));
  const limit = readNumber(text('limit')) ?? DEFAULT_LIMIT;
  if (Number.isNaN(sinceMs) || Number.isNaN(limit)) return null;
  return {
    consumerId: text('consumerId'),
    code: text('code'),
    endpointId: text('endpointId'),
    credentialId: text('credentialId'),
    requestId: text('requestId'),
    sinceMs,
    limit: Math.min(limit, MAX_LIMIT),
  };
}

/** NaN for what is not a whole number. */
function readNumber(text: string | undefined): number | undefined {
  return text === undefined ? undefined : /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
}
