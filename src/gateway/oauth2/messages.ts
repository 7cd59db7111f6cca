import { groupOfAddress } from '../../base/net/address-group.ts';
import { EXTERNAL_ADDRESS } from '../../check/receive/source-address.ts';
import type { HeldCredential } from '../../check/store/credential-source.ts';

/** A request to an OAuth2 endpoint, read whole. */
export interface OAuth2Request {
  readonly method: string;
  readonly target: string;
  /** Every value of a header in the order received; names are lower case. */
  readonly headerValues: (name: string) => readonly string[];
  readonly body: Buffer;
  /** Address of the TCP peer; null on a Unix socket. */
  readonly peerAddress: string | null;
  /** Whether the peer is known as an Envoy, so that what it says about the caller is believed. */
  readonly isPeerTrusted: boolean;
}

/** The answer of an OAuth2 endpoint. */
export interface OAuth2Answer {
  readonly status: number;
  /** With lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Who is counted for a request (spec §3.4): `x-envoy-external-address` of a peer that is known as an Envoy, or the
 * TCP peer; an IPv6 address counts as its /64.
 */
export function sourceOf(request: SourcedRequest): string {
  return groupOfAddress(callerOf(request) ?? '') ?? 'local';
}

type SourcedRequest = Pick<OAuth2Request, 'headerValues' | 'peerAddress' | 'isPeerTrusted'>;

/** The address of {@link sourceOf} itself; null on a Unix socket without the header. */
export function callerOf({ headerValues, peerAddress, isPeerTrusted }: SourcedRequest): string | null {
  const [external = '', ...more] = isPeerTrusted ? headerValues(EXTERNAL_ADDRESS) : [];
  const isAddress = more.length === 0 && groupOfAddress(external) !== null;
  return isAddress ? external : peerAddress;
}

/**
 * The address that address lists are compared with: as {@link callerOf}, but null where a peer that is known as an
 * Envoy names two addresses. Where it names none that is one, that text: then the peer is not the client.
 */
export function vouchedClientOf(request: SourcedRequest): string | null {
  const named = request.isPeerTrusted ? request.headerValues(EXTERNAL_ADDRESS) : [];
  return named.length > 1 ? null : (named[0] ?? request.peerAddress);
}

/** The errors that clients get (RFC 6749 §5.2, and §4.1.2.1 for the last two). */
export const oauth2ErrorCodes = [
  'invalid_request',
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
  'temporarily_unavailable',
  'server_error',
] as const;
export type OAuth2ErrorCode = (typeof oauth2ErrorCodes)[number];

/** A request to an OAuth2 endpoint that is answered with an error on purpose: a value, never an exception. */
export interface OAuth2Refusal {
  readonly error: OAuth2ErrorCode;
  readonly status: number;
  /** `error_description`: printable ASCII without `"` and `\` (RFC 6749 §5.2), and nothing that a client sent. */
  readonly description: string;
  /** Why, for the log, where that is more than clients learn. */
  readonly detail: string;
  /** Whose `client_id` it is, for the log; clients learn nothing of it. */
  readonly about?: HeldCredential | null;
  /** Headers of the answer, with lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Whether what was read of a request is a refusal. */
export function isOAuth2Refusal(value: object): value is OAuth2Refusal {
  return 'error' in value;
}

/** 400 `invalid_request`: the request itself is not as it must be. */
export function invalidRequest(description: string): OAuth2Refusal {
  return refuseOAuth2(400, 'invalid_request', description);
}

/** Makes a refusal (RFC 6749 §5.2): `description` is for the client, `detail` for the log. */
export function refuseOAuth2(
  status: number,
  error: OAuth2ErrorCode,
  description: string,
  { headers = {}, detail = description }: Partial<Pick<OAuth2Refusal, 'headers' | 'detail'>> = {},
): OAuth2Refusal {
  return { error, status, description, detail, headers };
}

/**
 * Every failure of client authentication looks the same, but the status is 401 when the header was used (RFC 6749
 * §5.2).
 * @param held the credential that has the `client_id`, for the log
 */
export function invalidClient(
  isHeaderUsed: boolean,
  detail: string,
  held: HeldCredential | null = null,
): OAuth2Refusal {
  const refusal = isHeaderUsed
    ? refuseOAuth2(401, 'invalid_client', CLIENT_DESCRIPTION, {
        detail,
        headers: { 'www-authenticate': 'Basic realm="postern"' },
      })
    : refuseOAuth2(400, 'invalid_client', CLIENT_DESCRIPTION, { detail });
  return { ...refusal, about: held };
}

/**
 * 400 `unauthorized_client`: the client proved who it is, and may not call from where it does.
 * @param held its credential, for the log
 */
export function unauthorizedClient(detail: string, held: HeldCredential): OAuth2Refusal {
  const refusal = refuseOAuth2(400, 'unauthorized_client', 'The client may not call from this address.', { detail });
  return { ...refusal, about: held };
}

const CLIENT_DESCRIPTION = 'Client authentication failed.';

/**
 * Refuses an assertion that was right but for its use: only who has the private key gets here, so it may be told.
 * @param held the credential of the client, for the log
 */
export function usedAssertion(detail: string, held: HeldCredential): OAuth2Refusal {
  return { ...refuseOAuth2(400, 'invalid_client', USED_DESCRIPTION, { detail }), about: held };
}

const USED_DESCRIPTION =
  'The client assertion was used before, or its time is no longer remembered: sign a new one for each request.';

/** Answers of these endpoints hold tokens, or what became of them: they must not be stored (RFC 6749 §5.1). */
const notStored = { 'cache-control': 'no-store', pragma: 'no-cache' } as const;

/** An answer with a JSON body that no cache keeps (RFC 6749 §5.1). */
export function jsonAnswer(
  status: number,
  body: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
): OAuth2Answer {
  return {
    status,
    headers: { 'content-type': 'application/json', ...notStored, ...headers },
    body: JSON.stringify(body),
  };
}

/** An answer that says nothing but that it is done. */
export const emptyAnswer: OAuth2Answer = { status: 200, headers: notStored, body: '' };

/** The answer to a request that is refused (RFC 6749 §5.2). */
export function refusalAnswer({ status, error, description, headers }: OAuth2Refusal): OAuth2Answer {
  return jsonAnswer(status, { error, error_description: description }, headers);
}
