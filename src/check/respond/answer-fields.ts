import { madeOnce } from '../../base/made-once.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import type { LimitReading } from '../../model/limit.ts';
import type { RefusalCode } from '../refusal.ts';
import type { HeldCredential } from '../store/credential-source.ts';
import { type Header, type Pair, writeEntries, writeUpstreamHeaders, type Written } from './check-response.ts';

const CONSUMER_ID = 'x-consumer-id';
const CONSUMER_USERNAME = 'x-consumer-username';
const CREDENTIAL_IDENTIFIER = 'x-credential-identifier';

/** How answers name a caller. */
export interface CallerFields {
  /**
   * The headers that show the back end who calls (spec §4.3). They overwrite what the caller sent under these names.
   */
  readonly headers: Written;
  /** Entries of the metadata (interfaces §6). */
  readonly metadata: Written;
}

/** What answers say of a caller; null for none. */
export function fieldsOf(caller: HeldCredential | null): CallerFields | null {
  return caller === null ? null : fieldsOfCaller(caller);
}

const fieldsOfCaller = madeOnce(
  ({ consumer, credential }: HeldCredential): CallerFields => ({
    headers: writeUpstreamHeaders([
      [CONSUMER_ID, consumer.id],
      [CONSUMER_USERNAME, encodeHeaderText(consumer.name ?? consumer.id)],
      [CREDENTIAL_IDENTIFIER, credential.id],
    ]),
    metadata: writeEntries([
      ['consumer', consumer.id],
      ['credential', credential.id],
    ]),
  }),
);

/** The names of {@link CallerFields.headers}. */
export const identityHeaders: readonly string[] = [CONSUMER_ID, CONSUMER_USERNAME, CREDENTIAL_IDENTIFIER];

/** Whether {@link CallerFields.headers} hold a header of this name, in any case: Envoy removes after it sets. */
export function isIdentityHeader(name: string): boolean {
  return identityHeaders.includes(name.toLowerCase());
}

/** Percent-encodes `%` and every byte of UTF-8 outside 0x20-0x7E. */
function encodeHeaderText(text: string): string {
  if (/^[\x20-\x24\x26-\x7e]*$/.test(text)) return text;
  let encoded = '';
  for (const byte of Buffer.from(text, 'utf8')) {
    const isPlain = byte >= 0x20 && byte <= 0x7e && byte !== 0x25;
    encoded += isPlain ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return encoded;
}

/** The `RateLimit` headers of the IETF draft and their older forms, from the tightest limit (spec §4.2). */
export function limitHeaders({ limit, remaining, resetSeconds, windowSeconds }: LimitReading): readonly Header[] {
  return [
    ['ratelimit', ['"default";r=', remaining, ';t=', resetSeconds]],
    ['ratelimit-policy', ['"default";q=', limit.requests, ';w=', windowSeconds]],
    ['x-ratelimit-limit', [limit.requests]],
    ['x-ratelimit-remaining', [remaining]],
    ['x-ratelimit-reset', [resetSeconds]],
  ];
}

/** What Envoy's access log and later filters may know of a decision (interfaces §6). */
export function decisionMetadata(
  code: RefusalCode | 'ALLOWED',
  endpoint: Endpoint | null,
  caller: CallerFields | null,
): (Pair | Written)[] {
  const entries: (Pair | Written)[] = [['code', code]];
  if (endpoint !== null) entries.push(entriesOfEndpoint(endpoint));
  if (caller !== null) entries.push(caller.metadata);
  return entries;
}

const entriesOfEndpoint = madeOnce(({ id, authentication }: Endpoint) =>
  writeEntries([['endpoint', id], ...(authentication === null ? [] : [['authentication', authentication] as const])]),
);
