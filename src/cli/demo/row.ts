import { Secret } from '../../model/secret.ts';
import type { OAuth2ErrorCode } from '../../gateway/oauth2/messages.ts';
import type { RefusalCode } from '../../check/refusal.ts';
import type { ClientHeader, ClientRequest } from '../../check/signing/client-request.ts';
import type { DemoKeyPairs } from './demo-keys.ts';
import type { Exchange } from './exchange.ts';
import type { TlsWay } from './send-over-tls.ts';

/** Requests of the demo under one title. */
export interface RowGroup {
  readonly title: string;
  readonly rows: readonly DemoRow[];
}

/** A line of the demo's table: a request and what must come of it. */
export interface DemoRow {
  /** At most {@link MAX_TITLE_CHARACTERS}. */
  readonly title: string;
  readonly expected: Verdict;
  /** A request that is made before; what came of it goes into {@link request}. */
  readonly before?: (moment: Moment) => ClientRequest;
  /**
   * Makes the request, just before it is sent: signatures hold the time. `before` is null where nothing was asked
   * before.
   */
  readonly request: (moment: Moment, before: Exchange | null) => ClientRequest;
  /** Sends it to Envoy's listener with mutual TLS; a row without it goes to the other one. */
  readonly tls?: (moment: Moment) => TlsWay;
  /** Sends it again until the answer is the expected one, this many times in all at most; once without it. */
  readonly maxTries?: number;
  /** Looks closer at an answer that is as expected. */
  readonly examine?: (exchange: Exchange) => Finding;
  /** Puts the request among the `curl` lines to try, under this text. */
  readonly tryIt?: string;
}

/** Characters of the title of a row: the width of its column. */
export const MAX_TITLE_CHARACTERS = 31;

/** Where and when a request is sent, and what it may be signed with. */
export interface Moment {
  /** Envoy's address: `host:port`. */
  readonly authority: string;
  /** The address of its listener with mutual TLS. */
  readonly tlsAuthority: string;
  readonly nowSeconds: number;
  readonly keys: DemoKeyPairs;
}

/**
 * The outcome of a request in a few words: `200 as acme`, `200 as nobody`, `200 with a token`, `401
 * AUTHENTICATION_FAILED`.
 */
export type Verdict = `200 as ${string}` | '200 with a token' | `${number} ${RefusalCode | OAuth2ErrorCode}`;

/** What a row sees in its answer beyond the status. */
export interface Finding {
  /** Lines for people to see below the row. */
  readonly notes: readonly string[];
  /** Why the answer is wrong after all; null when it is right. */
  readonly fault: string | null;
}

/** Says in the words of a {@link Verdict} what came; anything else is just described. */
export function verdictOf({ status, echo, refusalCode, token }: Exchange): string {
  if (token !== null) return `${String(status)} with a token`;
  if (echo !== null) return `${String(status)} as ${echo.headers['x-consumer-id'] ?? 'nobody'}`;
  return `${String(status)} ${refusalCode ?? '(not a refusal)'}`;
}

/** A request without a body. */
export function plainRequest(
  { authority }: Moment,
  method: string,
  path: string,
  headers: readonly ClientHeader[] = [],
): ClientRequest {
  return { method, path, authority, headers, body: Buffer.alloc(0) };
}

/** A POST with a body of UTF-8 text. */
export function bodyRequest({ authority }: Moment, path: string, contentType: string, body: string): ClientRequest {
  return { method: 'POST', path, authority, headers: [['Content-Type', contentType]], body: Buffer.from(body) };
}

/** Shows, and checks, a fact about what the back end received. */
export function receivedFinding(what: string, received: string, wanted: string): Finding {
  return {
    notes: [`back end received ${what} ${received}`],
    fault: received === wanted ? null : `the back end should have received ${what} ${wanted}`,
  };
}

/** Shows headers of an answer, which must have them. */
export function headersFinding({ headers }: Exchange, names: readonly string[]): Finding {
  const missing = names.filter((name) => headers[name] === undefined);
  return {
    notes: names.map((name) => `${name}: ${String(headers[name])}`),
    fault: missing.length === 0 ? null : `the answer lacks ${missing.join(', ')}`,
  };
}

/** The request to send again, provided that it passed the first time. */
export function sentAgain(before: Exchange | null, passed: Verdict, request: ClientRequest): ClientRequest {
  if (before !== null && verdictOf(before) === passed) return request;
  throw new Error(`the first time it was refused: ${String(before?.status)} ${before?.body ?? ''}`);
}

/** App Keys of examples/demo/postern.yaml for endpoints of method key. They are public, and good for the demo only. */
export const demoKeys = {
  acme: 'acme-demo-key',
  acmeRevoked: 'acme-old-demo-key',
  borealis: 'borealis-demo-key',
} as const;

/** An App Key and its App Secret. */
export interface DemoPair {
  readonly appKey: string;
  readonly secret: Secret;
}

/** Acme's credentials in that file for the methods that have an App Secret. */
export const demoPairs = {
  hmac: { appKey: 'acme-hmac-demo', secret: Secret.fromText('public-demo-secret-of-acme-for-hmac') },
  oauth2: { appKey: 'acme-oauth2-demo', secret: Secret.fromText('public-demo-secret-of-acme-for-oauth2') },
  parameters: {
    appKey: 'acme-parameters-demo',
    secret: Secret.fromText('public-demo-secret-of-acme-for-parameters'),
  },
} as const satisfies Record<string, DemoPair>;
