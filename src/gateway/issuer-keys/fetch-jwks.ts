import { lookup as systemLookup } from 'node:dns';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { LookupFunction } from 'node:net';
import { parseUniqueJson } from '../../base/text/unique-json.ts';
import { MAX_JWKS_BYTES } from '../../model/bounds.ts';
import type { IssuerKey } from '../../model/issuer.ts';
import { readJwkSet } from '../../model/read-jwk-set.ts';
import { secureContextOptions } from '../../wire/tls/secure-context.ts';
import { describeTlsFault } from '../../wire/tls/tls-faults.ts';
import { lifeSeconds } from './cache-control.ts';
import { FetchFailure } from './fetch-failure.ts';
import { findLiteralFailure, judgedLookup } from './judged-lookup.ts';

/** How long a fetch may take from its start to the last byte, in milliseconds. */
export const FETCH_DEADLINE_MS = 5000;
/** Interim answers (1xx) of one request at most. */
const MAX_INTERIM_ANSWERS = 10;

/** A set of keys as it was fetched. */
export interface FetchedKeys {
  /** At least one. */
  readonly keys: readonly IssuerKey[];
  /** How many others of the set cannot be used. */
  readonly faulty: number;
  /** For how long it is fresh. */
  readonly lifeSeconds: number;
}

/** What fetching takes besides an address. */
export interface FetchPorts {
  /** Hosts, in lower case, that may have a private address. */
  readonly privateHosts: ReadonlySet<string>;
  /** Authorities of servers as PEM, now; null for those that Node trusts. */
  readonly authorities: () => string | null;
  readonly lookup?: LookupFunction;
  readonly deadlineMs?: number;
}

/**
 * Fetches the keys of an issuer by one request over TLS: no redirect is followed, nothing is sent but the address, and
 * what comes back is bounded in size and time. Rejects with a {@link FetchFailure}.
 */
export async function fetchJwks(jwksUri: string, ports: FetchPorts, stop: AbortSignal): Promise<FetchedKeys> {
  const { privateHosts, authorities, lookup = systemLookup, deadlineMs = FETCH_DEADLINE_MS } = ports;
  const url = new URL(jwksUri);
  if (url.protocol !== 'https:') throw new FetchFailure('address', 'the address does not begin with https');
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  const isPrivate = privateHosts.has(host);
  const failure = isPrivate ? null : findLiteralFailure(host);
  if (failure !== null) throw failure;
  const deadline = AbortSignal.timeout(deadlineMs);
  const sent = request(url, {
    ...secureContextOptions({ certificate: null, key: null, ca: authorities() }),
    rejectUnauthorized: true,
    agent: false,
    lookup: isPrivate ? lookup : judgedLookup(lookup),
    signal: AbortSignal.any([stop, deadline]),
    headers: { accept: 'application/jwk-set+json, application/json', 'accept-encoding': 'identity' },
  });
  try {
    const answer = await answerOf(sent);
    return readAnswer(answer, await bodyOf(answer));
  } catch (error) {
    throw error instanceof FetchFailure ? error : failureOf(error, deadline.aborted);
  } finally {
    sent.destroy();
  }
}

function answerOf(sent: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    let interim = 0;
    sent.on('information', () => {
      interim += 1;
      if (interim > MAX_INTERIM_ANSWERS) reject(new FetchFailure('content', 'the host sends interim answers only'));
    });
    sent.on('response', resolve);
    // Stays: an error that comes after the answer, as when the request is destroyed, must not end the process.
    sent.on('error', reject);
    sent.on('close', () => {
      reject(new FetchFailure('connection', 'the host closed the connection without an answer'));
    });
    sent.end();
  });
}

async function bodyOf(answer: IncomingMessage): Promise<Buffer> {
  const { statusCode = 0, headers } = answer;
  if (statusCode >= 300 && statusCode < 400) {
    throw new FetchFailure('redirect', `the host answers ${String(statusCode)}; redirects are not followed`);
  }
  if (statusCode !== 200) throw new FetchFailure('status', `the host answers ${String(statusCode)} instead of 200`);
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') throw new FetchFailure('content', 'the answer is compressed');
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of answer as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > MAX_JWKS_BYTES) {
      throw new FetchFailure('size', `the answer has more than ${String(MAX_JWKS_BYTES)} bytes`);
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function readAnswer({ headers }: IncomingMessage, body: Buffer): FetchedKeys {
  const document = parseUniqueJson(body);
  if (document === undefined) {
    throw new FetchFailure('content', 'the answer is no JSON in UTF-8, or names something twice');
  }
  const set = readJwkSet(document);
  if ('fault' in set) throw new FetchFailure('content', `the answer ${set.fault}`);
  if (set.keys.length === 0) throw new FetchFailure('content', 'the answer has no key that can verify tokens');
  return { keys: set.keys, faulty: set.faults.length, lifeSeconds: lifeSeconds(headers['cache-control']) };
}

function failureOf(error: unknown, isLate: boolean): unknown {
  if (isLate) return new FetchFailure('timeout', 'the host did not answer in time');
  if (!(error instanceof Error)) return error;
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code !== 'string') return error;
  const fault = describeTlsFault(code);
  if (fault !== null) return new FetchFailure('tls', `TLS with the host fails: ${fault}`);
  return new FetchFailure('connection', `the host cannot be reached (${code})`);
}
