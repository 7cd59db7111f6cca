import { StoreUnavailable } from '../../check/store/credential-source.ts';

/** A person, or a command, waits for it. */
const TIMEOUT_MS = 20_000;
/** Longer than what these requests are answered with. */
const MAX_ANSWER_BYTES = 256 * 1024;

/** Another try may be answered. */
const TOO_MANY_REQUESTS = 429;

/** What is asked of the management API. */
interface Question {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  /** Sent as the bearer token; left out, nobody asks. */
  readonly token?: string;
  readonly body?: object;
}

/** An answer that was read whole. */
export interface ApiAnswer {
  readonly status: number;
  /** An object of JSON; empty for anything else. */
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * Asks the management API, which answers itself: no redirect is followed. Rejects with `StoreUnavailable` when it does
 * not answer, or only that it cannot now (5xx, 429). No message holds a token.
 */
export async function askApi(api: URL, { method, path, token, body }: Question): Promise<ApiAnswer> {
  let status: number;
  let text: string;
  try {
    const response = await fetch(new URL(path, api), {
      method,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        accept: 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    status = response.status;
    text = await readText(response);
  } catch (error) {
    if (error instanceof StoreUnavailable) throw error;
    throw new StoreUnavailable(`${api.origin} ${reasonOf(error)}`, { cause: error });
  }
  const answer = { status, body: readObject(text) };
  if (status < 500 && status !== TOO_MANY_REQUESTS) return answer;
  throw new StoreUnavailable(`${api.origin} answered ${String(status)}: ${detailOf(answer)}`);
}

/** What a problem says, for people. */
export function detailOf({ status, body }: ApiAnswer): string {
  const { detail } = body;
  return typeof detail === 'string' ? detail : `no detail was given (status ${String(status)})`;
}

async function readText(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of response.body ?? []) {
    const bytes = piece as Uint8Array;
    length += bytes.length;
    if (length > MAX_ANSWER_BYTES) throw new StoreUnavailable('the answer is too long for a management API');
    pieces.push(bytes);
  }
  return Buffer.concat(pieces).toString();
}

function readObject(text: string): ApiAnswer['body'] {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as ApiAnswer['body']) : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

/** Codes of certificates that nothing here vouches for. */
const UNTRUSTED = ['SELF_SIGNED', 'UNABLE_TO_', 'CERT_'];

function reasonOf(error: unknown): string {
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'does not answer in time';
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
  if (UNTRUSTED.some((part) => code.includes(part))) {
    return `has a certificate that is not trusted here (${code}); NODE_EXTRA_CA_CERTS names the file of its authority`;
  }
  return `cannot be reached (${code})`;
}
