import type { IncomingMessage } from 'node:http';
import type { RefusalSelection } from '../../check/refusals/refusal-record.ts';
import type { SelectedRefusals } from '../../check/refusals/refusal-memory.ts';
import { findStranger } from './local-asker.ts';

/** What the admin listener shows at {@link REFUSALS_PATH}: the records, and how many were left out. */
export type SelectRefusals = (selection: RefusalSelection) => SelectedRefusals;

/** Where the listener for operators shows the refusals that this process remembers. */
export const REFUSALS_PATH = '/refusals';

/** The answer of a page for operators, as text. */
export interface PageAnswer {
  readonly status: number;
  readonly text: string;
  readonly contentType?: string;
}

const DEFAULT_LIMIT = 1000;
const MAX_LIMIT = 5000;

/** Answers a program of this machine with refusals as JSON, and others with 403. */
export function answerRefusals(request: IncomingMessage, select: SelectRefusals): PageAnswer {
  const why = findStranger(request, 'refusals');
  if (why !== null) return { status: 403, text: `${why}\n` };
  const [, query = ''] = (request.url ?? '').split('?', 2);
  const selection = readSelection(new URLSearchParams(query));
  if (selection === null) return { status: 400, text: 'sinceMs and limit must be whole numbers\n' };
  return { status: 200, text: JSON.stringify(select(selection)), contentType: 'application/json' };
}

function readSelection(query: URLSearchParams): RefusalSelection | null {
  const text = (name: string): string | undefined => query.get(name) ?? undefined;
  const sinceMs = readNumber(text('sinceMs'));
  const limit = readNumber(text('limit')) ?? DEFAULT_LIMIT;
  if (Number.isNaN(sinceMs) || Number.isNaN(limit)) return null;
  return {
    isUnmatched: text('isUnmatched') === 'true',
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
