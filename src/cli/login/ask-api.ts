import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { Api } from './api-address.ts';
import { describeTlsFault } from '../../wire/tls/tls-faults.ts';
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
export async function askApi(api: Api, { method, path, token, body }: Question): Promise<ApiAnswer> {
  const text = body === undefined ? null : Buffer.from(JSON.stringify(body), 'utf8');
  const headers = {
    accept: 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(text === null ? {} : { 'content-type': 'application/json', 'content-length': String(text.length) }),
  };
  const { status, body: answered } = await send(api, { method, path, headers }, text);
  const answer = { status, body: readObject(answered) };
  if (status < 500 && status !== TOO_MANY_REQUESTS) return answer;
  throw new StoreUnavailable(`${api.origin} answered ${String(status)}: ${detailOf(answer)}`);
}

/** What a problem says, for people. */
export function detailOf({ status, body }: ApiAnswer): string {
  const { detail } = body;
  return typeof detail === 'string' ? detail : `no detail was given (status ${String(status)})`;
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function send(
  { origin, authorities }: Api,
  { method, path, headers }: Sent,
  text: Buffer | null,
): Promise<{ readonly status: number; readonly body: string }> {
  const options = {
    method,
    headers,
    agent: false,
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(authorities === null ? {} : { ca: authorities }),
  } as const;
  const url = new URL(path, origin);
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = url.protocol === 'https:' ? tlsRequest : plainRequest;
      request(url, options, resolve)
        .on('error', reject)
        .end(text ?? undefined);
    });
    return { status: response.statusCode ?? 0, body: await readText(response) };
  } catch (error) {
    if (error instanceof StoreUnavailable || !(error instanceof Error && 'code' in error)) throw error;
    throw new StoreUnavailable(`${origin} ${reasonOf(error)}`, { cause: error });
  }
}

async function readText(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > MAX_ANSWER_BYTES) throw new StoreUnavailable('the answer is too long for a management API');
    pieces.push(piece);
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

function reasonOf({ name, code }: Error & { readonly code?: unknown }): string {
  if (name === 'TimeoutError' || name === 'AbortError') return 'does not answer in time';
  const shown = typeof code === 'string' ? code : 'unknown';
  const fault = describeTlsFault(shown);
  if (fault === null) return `cannot be reached (${shown})`;
  return `cannot be reached (${shown}): ${fault}. Check its name, and POSTERN_STORE_CA`;
}
