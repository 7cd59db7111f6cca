import { essenceOf } from './body-form.ts';
import { textOf } from './bytes.ts';
import { parseHttpDate } from './http-date.ts';
import { readBytes } from './read-bytes.ts';

/** Answers over this are no refusals. */
const MAX_REFUSAL_BYTES = 65_536;
const FIRST_ERROR_STATUS = 400;

/** What the gateway said when it refused a request. */
export interface Refusal {
  readonly status: number;
  /** Why; programs decide by it. The codes do not change. */
  readonly code: string;
  /** The same for people. */
  readonly message: string;
  /** What to quote when you ask the operator of the API; null when the gateway gave none. */
  readonly requestId: string | null;
  /** After how many whole seconds to try again; null when the gateway did not say. */
  readonly retryAfter: number | null;
  /** What the gateway built to verify the signature, where the operator shows it; null otherwise. */
  readonly stringToSign: string | null;
  /**
   * Whether the gateway let an equal request through before: the API has it. With `nonce` it was this very call, whose
   * answer was lost. See whether it took effect before you call again.
   */
  readonly acceptedBefore: boolean;
}

/**
 * Reads the gateway's refusal from an answer whose body was not read yet; the body stays readable. Null when the
 * answer is no refusal of the gateway. `now` in milliseconds counts for a `Retry-After` that is a date.
 */
export async function readRefusal(response: Response, now: () => number = Date.now): Promise<Refusal | null> {
  if (response.status < FIRST_ERROR_STATUS || response.body === null) return null;
  if (essenceOf(response.headers.get('content-type') ?? '') !== 'application/json') return null;
  if (Number(response.headers.get('content-length') ?? 0) > MAX_REFUSAL_BYTES) return null;
  const copy = response.clone().body;
  const bytes = copy === null ? null : await readBytes(copy, MAX_REFUSAL_BYTES);
  const fields = bytes === null ? null : parseObject(textOf(bytes));
  const { code, message, requestId, stringToSign } = fields ?? {};
  if (typeof code !== 'string' || typeof message !== 'string') return null;
  if (typeof requestId !== 'string' && requestId !== null) return null;
  return {
    status: response.status,
    code,
    message,
    requestId,
    retryAfter: retryAfterOf(response.headers.get('retry-after'), now),
    stringToSign: typeof stringToSign === 'string' ? stringToSign : null,
    acceptedBefore: response.status === 401 && code === 'REQUEST_REPLAYED',
  };
}

/** The object that a JSON text is; null for anything else. */
export function parseObject(text: string | null): Readonly<Partial<Record<string, unknown>>> | null {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}

function retryAfterOf(text: string | null, now: () => number): number | null {
  if (text === null) return null;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const milliseconds = parseHttpDate(text);
  return milliseconds === null ? null : Math.max(0, Math.ceil((milliseconds - now()) / 1000));
}
