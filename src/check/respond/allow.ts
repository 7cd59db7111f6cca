import type { UpstreamChanges } from '../methods/authenticated.ts';
import type { LimitReading } from '../../model/limit.ts';
import type { Endpoint } from '../../model/endpoint.ts';
import type { RefusalCode } from '../refusal.ts';
import type { HeldCredential } from '../store/credential-source.ts';
import { decisionMetadata, fieldsOf, isIdentityHeader, limitHeaders } from './answer-fields.ts';
import { okResponse, type Pair, type Written } from './check-response.ts';

/** An allowed request and everything that was found out about it. */
export interface Allowance {
  /** The names of headers that could pass for identity headers; see `Received`. */
  readonly forgedHeaders: readonly string[];
  readonly endpoint: Endpoint;
  /** Null without an authenticated caller: open endpoints, and what `mode: observe` lets through. */
  readonly caller: HeldCredential | null;
  readonly upstream: UpstreamChanges;
  readonly reading: LimitReading | null;
  /** `ALLOWED`, or the code that an observed request would have been refused with. */
  readonly code: RefusalCode | 'ALLOWED';
}

/** Writes the answer that lets a request go upstream, with its changes and the identity of its caller (spec §4.3). */
export function allow({ forgedHeaders, endpoint, caller, upstream, reading, code }: Allowance): Buffer {
  const callerFields = fieldsOf(caller);
  const upstreamHeaders: (Pair | Written)[] = callerFields === null ? [] : [callerFields.headers];
  for (const header of upstream.headersToSet) upstreamHeaders.push(header);
  const forged =
    caller === null || forgedHeaders.length === 0
      ? forgedHeaders
      : forgedHeaders.filter((name) => !isIdentityHeader(name));
  const metadata = decisionMetadata(code, endpoint, callerFields);
  // Shows the unwrap script and the guard of the filter chain what becomes of the body (interfaces §6).
  metadata.push(['postern.body', upstream.body === null ? 'original' : 'pending']);
  return okResponse({
    upstreamHeaders,
    headersToRemove: forged.length === 0 ? upstream.headersToRemove : [...upstream.headersToRemove, ...forged],
    responseHeaders: reading === null ? [] : limitHeaders(reading),
    metadata,
    lastEntry: upstream.body === null ? null : { key: 'postern.text', value: upstream.body },
  });
}
