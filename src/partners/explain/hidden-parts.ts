import type { SentIdentity } from '../../check/methods/explanation/explainer.ts';
import type { EndpointExplainer } from '../../check/methods/explanation/load-explainer.ts';
import { type ClientRequest, headerOf } from '../../check/signing/client-request.ts';
import type { LeftOut } from './read/left-out.ts';

/** Which parts that decide about a request are not in its text. */
export type HiddenPart = 'body' | 'credentials' | 'headers' | 'address of the caller';

/** What cannot be looked at, and what is said of it. */
export interface HiddenParts {
  /** Whether credentials may have been sent that the text does not show. */
  readonly hasCredentials: boolean;
  readonly parts: readonly HiddenPart[];
  readonly notes: readonly string[];
}

/** What of a request the verdict cannot look at, because its text leaves it out; null where nothing of it matters. */
export function findHiddenParts(
  request: ClientRequest,
  { credentialHeaders, bodyBears }: EndpointExplainer,
  { appKey }: SentIdentity,
  { body, headers, isMasked }: LeftOut,
): HiddenParts | null {
  const isSent = appKey !== null || credentialHeaders.length === 0;
  const isHeaderMissing = !isSent && headers === 'authorization' && credentialHeaders.includes('authorization');
  const isTypeMissing = request.body.length > 0 && bodyBears(request) === 'credentials';
  const areHeadersMissing = headers === 'all' && (!isSent || isTypeMissing);
  const borne = body ? bodyBears(request) : null;
  const isBodyMissing = borne !== null && (borne !== 'nothing' || isKnownToHaveBody(request));
  if (!isMasked && !isHeaderMissing && !areHeadersMissing && !isBodyMissing) return null;
  return {
    hasCredentials: isMasked || isHeaderMissing || areHeadersMissing || borne === 'credentials',
    parts: [
      ...(borne === 'digest' || borne === 'credentials' ? ['body' as const] : []),
      ...(isMasked || isHeaderMissing ? ['credentials' as const] : []),
      ...(areHeadersMissing ? ['headers' as const] : []),
    ],
    notes: [...(isHeaderMissing || areHeadersMissing ? [NO_HEADER] : []), ...(borne === 'digest' ? [NO_DIGEST] : [])],
  };
}

const NO_HEADER =
  'The HAR shows no header with credentials: browsers leave Authorization out of a HAR unless it is saved with sensitive data. Whether one was sent is not known.';
const NO_DIGEST = 'Whether the Digest is that of the body that was sent is not known.';

/** Stands for a body that was sent, where its bytes do not matter. */
const SOME_BODY = Buffer.from('?');

/** The request with something for a body that is known to have been sent, so that it is not taken for one without. */
export function withSomeBody(request: ClientRequest): ClientRequest {
  return request.body.length === 0 && isKnownToHaveBody(request) ? { ...request, body: SOME_BODY } : request;
}

function isKnownToHaveBody(request: ClientRequest): boolean {
  return headerOf(request, 'content-length') !== null || headerOf(request, 'transfer-encoding') !== null;
}
